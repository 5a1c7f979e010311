#!/bin/sh
# Stands for NVIDIA's ptxas where none is: the head of an object of the architecture, or the refusal
# that PTXAS_SAYS holds. It does not know sm_103.
for argument; do
  case $argument in
    -arch=sm_103) echo "ptxas fatal   : Value 'sm_103' is not defined for option 'gpu-name'" >&2; exit 255 ;;
    -arch=sm_*) arch=${argument#-arch=sm_} ;;
    *.cubin) out=$argument ;;
    *.ptx) ptx=$argument ;;
  esac
done
[ -s "$ptx" ] || { echo "ptxas fatal   : no $ptx" >&2; exit 255; }
[ -z "$PTXAS_SAYS" ] || { echo "$PTXAS_SAYS" >&2; exit 255; }
{
  printf '\177ELF\002\001\001\101\010'
  head -c 40 /dev/zero # e_flags begin at byte 48; in ABI 8 the architecture is the second byte
  printf "\\$(printf %o "$arch")\\0\\0"
  head -c 12 /dev/zero
} >"$out"
