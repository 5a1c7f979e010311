// Gflop/s of fused multiply-adds of f32 that one core makes: as many independent ones as keep both of its units busy. Built by measure.py with -march=native.
#include <stdio.h>
#include <time.h>

#ifdef __AVX512F__
enum { kBytes = 64 };
#else
enum { kBytes = 32 };
#endif
enum { kSums = 12, kTimes = 20000000, kRounds = 5 };
typedef float Vector __attribute__((vector_size(kBytes)));

static double seconds(void) { // of this process, whoever else computes
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(void) {
  double best = 0;
  volatile float zero = 0;
  for (int round = 0; round < kRounds; ++round) {
    Vector sums[kSums], factor = (Vector){} + zero + 0.999f, more = (Vector){} + zero + 0.001f;
    for (int i = 0; i < kSums; ++i)
      sums[i] = (Vector){} + zero;
    const double begun = seconds();
    for (int time = 0; time < kTimes / kRounds; ++time)
#pragma clang loop unroll(full)
      for (int i = 0; i < kSums; ++i)
        sums[i] = sums[i] * factor + more;
    const double flops = 2.0 * kBytes / sizeof(float) * kSums * (kTimes / kRounds), took = seconds() - begun;
    Vector all = sums[0];
    for (int i = 1; i < kSums; ++i)
      all += sums[i];
    zero = all[0] * 0;
    best = flops / took > best ? flops / took : best;
  }
  printf("%.1f\n", best / 1e9);
  return 0;
}
