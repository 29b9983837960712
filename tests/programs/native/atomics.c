// C11 atomics and GNU builtins in one thread: every operation, its result, all widths, flags, fences, volatile.
//@ native
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pair {
	int a, b;
};

static _Atomic int counter = 5;
static atomic_uchar byte;
static _Atomic(uint64_t) wide;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static _Atomic(int *) pointer;
static _Atomic struct pair both;
static volatile int noisy;

int main(void)
{
	printf("%d %d\n", atomic_load(&counter), atomic_is_lock_free(&counter));
	atomic_store(&counter, 10);
	printf("%d ", atomic_fetch_add(&counter, 5));
	printf("%d ", atomic_fetch_sub_explicit(&counter, 3, memory_order_relaxed));
	printf("%d ", atomic_fetch_or(&counter, 0x100));
	printf("%d ", atomic_fetch_and_explicit(&counter, 0x1fc, memory_order_acq_rel));
	printf("%d ", atomic_fetch_xor(&counter, 0xff));
	printf("%d ", atomic_exchange(&counter, 77));
	printf("%d\n", counter);
	counter += 3;
	counter *= 2;
	counter++;
	--counter;
	int expected = 160;
	bool swapped = atomic_compare_exchange_strong(&counter, &expected, 1);
	printf("%d %d %d\n", swapped, expected, atomic_load(&counter));
	swapped = atomic_compare_exchange_strong(&counter, &expected, 2);
	printf("%d %d %d\n", swapped, expected, atomic_load(&counter));
	byte = 250;
	byte += 10;
	printf("%d %d\n", byte, atomic_fetch_sub(&byte, 5));
	printf("%d\n", byte);
	atomic_fetch_add(&wide, UINT64_MAX);
	wide -= 1;
	printf("%llx\n", (unsigned long long)wide);
	printf("%d ", atomic_flag_test_and_set(&flag));
	printf("%d ", atomic_flag_test_and_set(&flag));
	atomic_flag_clear(&flag);
	printf("%d\n", atomic_flag_test_and_set(&flag));
	int array[4] = { 10, 20, 30, 40 };
	atomic_store(&pointer, array);
	atomic_fetch_add(&pointer, 2);
	printf("%d\n", *atomic_load(&pointer));
	atomic_store(&both, ((struct pair){ 3, 4 }));
	struct pair copy = atomic_load(&both);
	printf("%d %d\n", copy.a, copy.b);
	atomic_thread_fence(memory_order_seq_cst);
	atomic_signal_fence(memory_order_acquire);
	int plain = 1;
	printf("%d ", __atomic_add_fetch(&plain, 4, __ATOMIC_SEQ_CST));
	printf("%d ", __atomic_nand_fetch(&plain, 4, __ATOMIC_SEQ_CST));
	printf("%d ", __sync_fetch_and_add(&plain, 20));
	printf("%d ", __sync_bool_compare_and_swap(&plain, 15, 9));
	printf("%d ", __sync_val_compare_and_swap(&plain, 9, 8));
	printf("%d ", __atomic_fetch_max(&plain, 50, __ATOMIC_RELAXED));
	printf("%d %d\n", __atomic_fetch_min(&plain, -3, __ATOMIC_RELAXED), __atomic_load_n(&plain, __ATOMIC_ACQUIRE));
	for (int i = 0; i < 10; i++)
		noisy += i;
	printf("%d\n", noisy);
	return 0;
}
