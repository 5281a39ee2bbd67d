# try: predict=f32[64, 64] label=f32[64, 64]
# try: predict=f16[9, 77] label=f16[9, 77]
# Loss: the mean of (predict - label)^2. Each core sums its part; after sync_all() the first one sums the parts.
@kernel
def loss_kernel(predict: gm[total], label: gm[total], y: gm[1], parts: gm[count], total, per_core, tile, count):
    first = min(core() * per_core, total)
    last = min(first + per_core, total)
    predict_ub = ub(tile, dtype=predict.dtype)
    label_ub = ub(tile, dtype=label.dtype)
    sum = ub(1, dtype=f32)
    part_ub = ub(1, dtype=f32)
    parts_ub = ub(count, dtype=f32)
    y_ub = ub(1, dtype=y.dtype)
    with compute:
        sum[:] = full(1, 1, 0.0)
    for i, n in tiles(first, last, tile):
        with copyin:
            load(predict_ub, predict[i : i + n])
            load(label_ub, label[i : i + n])
        with compute:
            d = predict_ub - label_ub
            sum[:] = sum + all_sum(d * d)
    with compute:
        part_ub[:] = sum * 1.0
    with copyout:
        store(parts[core() : core() + 1], part_ub)
    sync_all()
    if core() == 0:
        with copyin:
            load(parts_ub, parts[:])
        with compute:
            y_ub[:] = all_sum(parts_ub) / float(total)
        with copyout:
            store(y[:], y_ub)


@host
def mean_squared_error(predict: tensor(f32, f16), label: tensor(predict)):
    y = empty([1], predict.dtype)
    total = predict.numel
    require(label.numel == total)
    per_core = align(ceil_div(total, best_cores()), 64)
    count = ceil_div(total, per_core)
    parts = workspace(count, f32)
    tile = fit(per_core, 64)
    loss_kernel[count](predict, label, y, parts, total, per_core, tile, count)
    return y
