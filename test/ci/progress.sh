#!/usr/bin/env bash
# Reads ninja's output; shows every 25th step, so that a log stays short and a person sees that it
# moves. Warnings and errors pass through.
awk '
  /^\[[0-9]+\/[0-9]+\]/ {
    split(substr($1, 2), n, "[/\\]]")
    if (n[1] % 25 == 0 || n[1] == n[2]) { print "  " $1 " " $2 " " $3; fflush() }
    next
  }
  /(error|warning):|FAILED/ { print; fflush() }'
