#ifndef POOL_H
#define POOL_H

/* The sum of the numbers below `items`, computed by `workers` threads. */
int run_pool(int workers, int items);

#endif
