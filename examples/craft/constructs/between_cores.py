# Between cores: workspace, sync_all(), atomic_add().
# try: x=f32[100, 20] total=f32[1, 20]
# try: x=f32[3, 9] total=f32[1, 9]
@kernel
def count_kernel(x: gm[rows, cols], total: gm[1, cols], peaks: gm[parts], y: gm[1], rows, cols, per_core, parts):
    first = core() * per_core
    x_ub = ub(per_core, cols, dtype=f32)
    sum_ub = ub(1, cols, dtype=f32)
    peak_ub = ub(1, dtype=f32)
    peaks_ub = ub(parts, dtype=f32)
    y_ub = ub(1, dtype=f32)
    for r, n in tiles(first, min(first + per_core, rows), per_core):
        with copyin:
            load(x_ub, x[r : r + n, :])
        with compute:
            sum_ub[:] = col_sum(x_ub)
            peak_ub[:] = all_max(x_ub)
        with copyout:
            atomic_add(total[:, :], sum_ub)
            store(peaks[core() : core() + 1], peak_ub)
    sync_all()
    if core() == 0:
        with copyin:
            load(peaks_ub, peaks[:])
        with compute:
            y_ub[:] = all_max(peaks_ub)
        with copyout:
            store(y[:], y_ub)


@host
def add_and_peak(x: tensor(f32), total: tensor(f32)):
    rows, cols = x.shape
    require(total.numel == cols)
    y = empty([1], f32)
    sums = inplace(total)
    per_core = ceil_div(rows, 4)
    parts = ceil_div(rows, per_core)
    peaks = workspace(parts, f32)
    count_kernel[parts](x, sums, peaks, y, rows, cols, per_core, parts)
    return y, sums
