/* ---- numbers ---- */
GS_UNUSED static uint64_t gs_mask(unsigned w) { return w >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << w) - 1; }
GS_UNUSED static int64_t gs_signed(uint64_t value, unsigned w)
{
    return w >= 64 ? (int64_t)value : (int64_t)(value << (64 - w)) >> (64 - w);
}
GS_UNUSED static uint64_t gs_shl(uint64_t a, uint64_t b, unsigned w) { return b < w ? (a << b) & gs_mask(w) : 0; }
GS_UNUSED static uint64_t gs_lshr(uint64_t a, uint64_t b, unsigned w) { return b < w ? a >> b : 0; }
GS_UNUSED static uint64_t gs_ashr(uint64_t a, uint64_t b, unsigned w)
{
    return (uint64_t)(gs_signed(a, w) >> (b < w ? b : w - 1)) & gs_mask(w);
}
GS_UNUSED static int gs_divides_badly(int is_signed, uint64_t a, uint64_t b, unsigned w)
{
    return b == 0 || (is_signed && gs_signed(b, w) == -1 && a == UINT64_C(1) << (w - 1));
}
GS_UNUSED static uint64_t gs_div(int is_signed, int rest, uint64_t a, uint64_t b, unsigned w)
{
    if (gs_divides_badly(is_signed, a, b, w))
        return 0;
    if (!is_signed)
        return rest ? a % b : a / b;
    int64_t x = gs_signed(a, w), y = gs_signed(b, w);
    return (uint64_t)(rest ? x % y : x / y) & gs_mask(w);
}
/* op: 0 add, 1 sub, 2 mul, 3 shl. The result as far as it fits. */
GS_UNUSED static uint64_t gs_wrapped(int op, int is_signed, uint64_t a, uint64_t b, unsigned w)
{
    uint64_t x = is_signed ? (uint64_t)gs_signed(a, w) : a, y = is_signed ? (uint64_t)gs_signed(b, w) : b;
    return op == 0 ? (x + y) & gs_mask(w) : op == 1 ? (x - y) & gs_mask(w) : op == 2 ? (x * y) & gs_mask(w) : gs_shl(a, b, w);
}
/* Whether the result does not fit. */
GS_UNUSED static int gs_overflows(int op, int is_signed, uint64_t a, uint64_t b, unsigned w)
{
    if (op == 3) {
        uint64_t result = gs_shl(a, b, w);
        return is_signed ? gs_ashr(result, b, w) != (a & gs_mask(w)) : gs_lshr(result, b, w) != a;
    }
    if (is_signed) {
        int64_t x = gs_signed(a, w), y = gs_signed(b, w), r;
        int over = op == 0 ? __builtin_add_overflow(x, y, &r) : op == 1 ? __builtin_sub_overflow(x, y, &r) : __builtin_mul_overflow(x, y, &r);
        return over || gs_signed((uint64_t)r & gs_mask(w), w) != r;
    }
    uint64_t r;
    int over = op == 0 ? __builtin_add_overflow(a, b, &r) : op == 1 ? __builtin_sub_overflow(a, b, &r) : __builtin_mul_overflow(a, b, &r);
    return over || (r & gs_mask(w)) != r;
}
GS_UNUSED static double gs_double(uint64_t bits) { double value; memcpy(&value, &bits, 8); return value; }
GS_UNUSED static uint64_t gs_of_double(double value) { uint64_t bits; memcpy(&bits, &value, 8); return bits; }
GS_UNUSED static float gs_float(uint64_t bits) { uint32_t low = (uint32_t)bits; float value; memcpy(&value, &low, 4); return value; }
GS_UNUSED static uint64_t gs_of_float(float value) { uint32_t bits; memcpy(&bits, &value, 4); return bits; }
/* The bits of `predicate` say for which outcomes it holds: equal, greater, less, unordered. */
GS_UNUSED static uint64_t gs_fcmp(unsigned predicate, double a, double b)
{
    unsigned outcome = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
    return (predicate & outcome) != 0;
}
GS_UNUSED static uint64_t gs_float_to_int(int is_signed, double value, unsigned w)
{
    double limit = 1;
    for (unsigned i = 0; i < w - (is_signed ? 1u : 0u); i++)
        limit *= 2;
    if (!(value > (is_signed ? -limit - 1 : -1.0) && value < limit))
        return is_signed ? UINT64_C(1) << (w - 1) : 0;
    return (is_signed ? (uint64_t)(int64_t)value : (uint64_t)value) & gs_mask(w);
}
GS_UNUSED static uint64_t gs_bits(int op, uint64_t a, unsigned w)
{
    uint64_t r = 0;
    switch (op) {
    case 0: for (; a; a &= a - 1) r++; return r;
    case 1: for (unsigned i = w; i-- > 0 && !(a >> i & 1);) r++; return r;
    case 2: for (unsigned i = 0; i < w && !(a >> i & 1); i++) r++; return r;
    case 3: for (unsigned i = 0; i < w; i += 8) r |= (a >> i & 255) << (w - 8 - i); return r;
    case 4: for (unsigned i = 0; i < w; i++) r |= (a >> i & 1) << (w - 1 - i); return r;
    default: return gs_signed(a, w) < 0 ? (0 - a) & gs_mask(w) : a;
    }
}
/* Comparisons, as functions so that no compiler has an opinion on constant ones. */
GS_UNUSED static uint64_t gs_eq(uint64_t a, uint64_t b) { return a == b; }
GS_UNUSED static uint64_t gs_ne(uint64_t a, uint64_t b) { return a != b; }
GS_UNUSED static uint64_t gs_ult(uint64_t a, uint64_t b) { return a < b; }
GS_UNUSED static uint64_t gs_ule(uint64_t a, uint64_t b) { return a <= b; }
GS_UNUSED static uint64_t gs_slt(uint64_t a, uint64_t b, unsigned w) { return gs_signed(a, w) < gs_signed(b, w); }
GS_UNUSED static uint64_t gs_sle(uint64_t a, uint64_t b, unsigned w) { return gs_signed(a, w) <= gs_signed(b, w); }
GS_UNUSED static uint64_t gs_modified(int op, uint64_t old, uint64_t by, unsigned w)
{
    switch (op) {
    case 0: return by;
    case 1: return (old + by) & gs_mask(w);
    case 2: return (old - by) & gs_mask(w);
    case 3: return old & by;
    case 4: return ~(old & by) & gs_mask(w);
    case 5: return old | by;
    case 6: return old ^ by;
    case 7: return gs_signed(old, w) > gs_signed(by, w) ? old : by;
    case 8: return gs_signed(old, w) < gs_signed(by, w) ? old : by;
    case 9: return old > by ? old : by;
    default: return old < by ? old : by;
    }
}
