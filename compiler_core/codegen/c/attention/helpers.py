"""C functions of attention on tiles whose lanes are query rows."""

PRODUCT = """\
// out[rows, lanes] = lhs @ rhs, or scale * out + lhs @ rhs: ROWS by `columns` sums at a time.
// Row r of lhs begins at lhs[r * down] and goes on by `along`; rhs and out are `lanes` wide.
static inline __attribute__((always_inline)) void lanes_tile(
    const float *lhs, long down, long along, const float *rhs, const float *scale, float *out,
    int lanes, int k, int rows
) {
    const int columns = lanes < F32_COLUMNS ? lanes : F32_COLUMNS;
    float sum[ROWS][F32_COLUMNS];
    for (int r = 0; r < rows; r++)
        #pragma omp simd
        for (int c = 0; c < columns; c++) sum[r][c] = scale ? out[r * lanes + c] * scale[c] : 0;
    for (int i = 0; i < k; i++)
        for (int r = 0; r < rows; r++) {
            float x = lhs[r * down + i * along];
            #pragma omp simd
            for (int c = 0; c < columns; c++) sum[r][c] += x * rhs[i * lanes + c];
        }
    for (int r = 0; r < rows; r++)
        #pragma omp simd
        for (int c = 0; c < columns; c++) out[r * lanes + c] = sum[r][c];
}
static inline __attribute__((always_inline)) void lanes_product(
    const float *lhs, long down, long along, const float *rhs, const float *scale, float *out,
    int lanes, int k, int rows
) {
    for (int c = 0; c < lanes; c += F32_COLUMNS) {
        const float *factor = scale ? scale + c : scale;
        int r = 0;
        for (; r + ROWS <= rows; r += ROWS)
            lanes_tile(lhs + r * down, down, along, rhs + c, factor, out + r * lanes + c, lanes, k,
                ROWS);
        if (rows % ROWS)
            lanes_tile(lhs + r * down, down, along, rhs + c, factor, out + r * lanes + c, lanes, k,
                rows % ROWS);
    }
}
"""

SOFTMAX = """\
// Scores [keys, lanes] become weights relative to each lane's largest score so far, `top`; what was
// summed relative to the one before is to be multiplied by `factor`. A lane without a score above
// minus infinity has weights of 0.
static inline __attribute__((always_inline)) void lanes_softmax(
    float *scores, float *top, float *total, float *factor, int lanes, int keys
) {
    const int columns = lanes < F32_COLUMNS ? lanes : F32_COLUMNS;
    for (int c = 0; c < lanes; c += columns) {
        float best[F32_COLUMNS], sum[F32_COLUMNS];
        #pragma omp simd
        for (int l = 0; l < columns; l++) best[l] = top[c + l];
        for (int j = 0; j < keys; j++)
            #pragma omp simd
            for (int l = 0; l < columns; l++)
                best[l] = max_f32(best[l], scores[j * lanes + c + l]);
        #pragma omp simd
        for (int l = 0; l < columns; l++) {
            float before = top[c + l];
            top[c + l] = best[l];
            best[l] = best[l] == -__builtin_inff() ? 0 : best[l];
            factor[c + l] = exp_f32(before - best[l]);
            sum[l] = total[c + l] * factor[c + l];
        }
        for (int j = 0; j < keys; j++)
            #pragma omp simd
            for (int l = 0; l < columns; l++) {
                float weight = exp_f32(scores[j * lanes + c + l] - best[l]);
                scores[j * lanes + c + l] = weight;
                sum[l] += weight;
            }
        #pragma omp simd
        for (int l = 0; l < columns; l++) total[c + l] = sum[l];
    }
}
"""

ROW_SOFTMAX = """\
// The same for the scores of one row; gives the factor.
static inline __attribute__((always_inline)) float row_softmax(
    float *scores, float *top, float *total, int keys
) {
    float best = *top, sum = 0;
    #pragma omp simd reduction(max : best)
    for (int j = 0; j < keys; j++) best = scores[j] > best ? scores[j] : best;
    float before = *top, base = best == -__builtin_inff() ? 0 : best;
    #pragma omp simd reduction(+ : sum)
    for (int j = 0; j < keys; j++) {
        scores[j] = exp_f32(scores[j] - base);
        sum += scores[j];
    }
    float factor = exp_f32(before - base);
    *top = best;
    *total = *total * factor + sum;
    return factor;
}
"""

HELPERS = (PRODUCT, SOFTMAX, ROW_SOFTMAX)
