#include "task/reference/variant_functions.h"

namespace akgen::task {

const char kVariantFunctions[] = R"(
def inside(x: Tensor, low: float, high: float) -> Tensor:
    if x.is_complex():
        return x
    return torch.clamp(x, low, high).to(x.dtype)

def beyond(y: Tensor, x: Tensor, low: float, high: float) -> Tensor:
    if x.is_complex():
        return y
    d = (x - torch.clamp(x, low, high)) / (0.5 * (high - low) + 1e-30)
    return y * (1.0 + d * d) + d

def plain__sigmoid(x: Tensor) -> Tensor:
    e = torch.exp(x)
    return e / (1.0 + e)

def plain__tanh(x: Tensor) -> Tensor:
    e = torch.exp(2.0 * x)
    return (e - 1.0) / (e + 1.0)

def plain__sinh(x: Tensor) -> Tensor:
    return 0.5 * (torch.exp(x) - torch.exp(-x))

def plain__expm1(x: Tensor) -> Tensor:
    return torch.exp(x) - 1.0

def plain__log1p(x: Tensor) -> Tensor:
    return torch.log(x + 1.0)

def plain__erfc(x: Tensor) -> Tensor:
    return 1.0 - torch.erf(x)

def plain__pow(x: Tensor, y: number) -> Tensor:
    return torch.exp(torch.log(x) * y)

def plain__pow__2(x: Tensor, y: Tensor) -> Tensor:
    return torch.exp(torch.log(x) * y)

def plain__abs(x: Tensor) -> Tensor:
    if x.is_complex():
        re, im = torch.real(x), torch.imag(x)
        return torch.sqrt(re * re + im * im)
    return torch.sqrt(x * x).to(x.dtype)

def no_max__softmax(x: Tensor, dim: int) -> Tensor:
    e = torch.exp(x)
    return e / e.sum([dim], True)

def no_max__log_softmax(x: Tensor, dim: int) -> Tensor:
    return x - torch.log(torch.exp(x).sum([dim], True))

def no_max__logsumexp(x: Tensor, dim: List[int], keep: bool) -> Tensor:
    return torch.log(torch.exp(x).sum(dim, keep))

def square_of_mean__layer_norm(x: Tensor, shape: List[int], weight: Optional[Tensor], bias: Optional[Tensor], eps: float) -> Tensor:
    dims: List[int] = []
    for i in range(len(shape)):
        dims.append(-1 - i)
    mean = x.mean(dims, True)
    y = (x - mean) * torch.rsqrt((x * x).mean(dims, True) - mean * mean + eps)
    if weight is not None:
        y = y * weight
    if bias is not None:
        y = y + bias
    return y

def no_epsilon__layer_norm(x: Tensor, shape: List[int], weight: Optional[Tensor], bias: Optional[Tensor], eps: float) -> Tensor:
    return torch.layer_norm(x, shape, weight, bias, 0.0)

def nan_dropped__maximum(a: Tensor, b: Tensor) -> Tensor:
    return torch.fmax(a, b)

def nan_dropped__minimum(a: Tensor, b: Tensor) -> Tensor:
    return torch.fmin(a, b)

def nan_dropped__clamp(x: Tensor, low: Optional[number], high: Optional[number]) -> Tensor:
    y = x
    if low is not None:
        y = torch.fmax(y, torch.full_like(y, low))
    if high is not None:
        y = torch.fmin(y, torch.full_like(y, high))
    return y

def nan_dropped__relu(x: Tensor) -> Tensor:
    return torch.fmax(x, torch.zeros_like(x))

def nan_dropped__amax(x: Tensor, dim: List[int], keep: bool) -> Tensor:
    return torch.amax(torch.where(x == x, x, torch.full_like(x, -float("inf"))), dim, keep)

def nan_dropped__amin(x: Tensor, dim: List[int], keep: bool) -> Tensor:
    return torch.amin(torch.where(x == x, x, torch.full_like(x, float("inf"))), dim, keep)

def nan_dropped__argmax(x: Tensor, dim: Optional[int], keep: bool) -> Tensor:
    return torch.argmax(torch.where(x == x, x, torch.full_like(x, -float("inf"))), dim, keep)

def nan_dropped__argmin(x: Tensor, dim: Optional[int], keep: bool) -> Tensor:
    return torch.argmin(torch.where(x == x, x, torch.full_like(x, float("inf"))), dim, keep)

def nan_dropped__topk(x: Tensor, k: int, dim: int, largest: bool, ordered: bool) -> Tuple[Tensor, Tensor]:
    if not x.is_floating_point():
        return torch.topk(x, k, dim, largest, ordered)
    low = float("inf")
    if largest:
        low = -float("inf")
    return torch.topk(torch.where(x == x, x, torch.full_like(x, low)), k, dim, largest, ordered)

def no_clamp__clamp(x: Tensor) -> Tensor:
    return x

def no_clamp__maximum(a: Tensor, b: Tensor) -> Tensor:
    return torch.zeros_like(b) + a

def no_clamp__minimum(a: Tensor, b: Tensor) -> Tensor:
    return torch.zeros_like(b) + a

def no_abs__abs(x: Tensor) -> Tensor:
    if x.is_complex():
        return torch.real(x)
    return x

def by_comparison__sign(x: Tensor) -> Tensor:
    return torch.where(x > 0, torch.ones_like(x), -torch.ones_like(x))

def half_up__round(x: Tensor) -> Tensor:
    return torch.floor(x + 0.5)

def truncated__round(x: Tensor) -> Tensor:
    return torch.trunc(x)

def by_int32__round(x: Tensor) -> Tensor:
    return torch.round(x).int().to(x.dtype)

def by_int32__trunc(x: Tensor) -> Tensor:
    return x.int().to(x.dtype)

def by_int32__floor(x: Tensor) -> Tensor:
    return torch.floor(x).int().to(x.dtype)

def by_int32__ceil(x: Tensor) -> Tensor:
    return torch.ceil(x).int().to(x.dtype)

def floored__trunc(x: Tensor) -> Tensor:
    return torch.floor(x)

def truncated__floor(x: Tensor) -> Tensor:
    return torch.trunc(x)

def truncated__remainder(x: Tensor, y: Tensor) -> Tensor:
    return torch.fmod(x, y)

def truncated__remainder__2(x: Tensor, y: number) -> Tensor:
    return torch.fmod(x, y)

def one_sided__isinf(x: Tensor) -> Tensor:
    return x == float("inf")

def nan_only__isfinite(x: Tensor) -> Tensor:
    return x == x

def infinity_only__isfinite(x: Tensor) -> Tensor:
    return ~torch.isinf(x)

def by_difference__eq(a: Tensor, b: Tensor) -> Tensor:
    return (a - b) == 0

def by_difference__ne(a: Tensor, b: Tensor) -> Tensor:
    return (a - b) != 0

def by_difference__lt(a: Tensor, b: Tensor) -> Tensor:
    return (a - b) < 0

def by_difference__le(a: Tensor, b: Tensor) -> Tensor:
    return (a - b) <= 0

def by_difference__gt(a: Tensor, b: Tensor) -> Tensor:
    return (a - b) > 0

def by_difference__ge(a: Tensor, b: Tensor) -> Tensor:
    return (a - b) >= 0

def by_product__where(c: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return c.to(a.dtype) * a + (~c).to(b.dtype) * b

def by_product__tril(x: Tensor, diagonal: int) -> Tensor:
    return x * torch.tril(torch.ones_like(x), diagonal)

def by_product__triu(x: Tensor, diagonal: int) -> Tensor:
    return x * torch.triu(torch.ones_like(x), diagonal)

def by_product__zeros_like(x: Tensor) -> Tensor:
    return x * 0

def last_wins__index_add(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    return x + torch.index_copy(torch.zeros_like(x), dim, index, source)

def float16__matmul(a: Tensor, b: Tensor) -> Tensor:
    return torch.matmul(a, b).half().to(a.dtype)

def float16__sum(x: Tensor, dim: List[int], keep: bool) -> Tensor:
    y = x.sum(dim, keep)
    return y.half().to(y.dtype)

def float16__mean(x: Tensor, dim: List[int], keep: bool) -> Tensor:
    y = x.sum(dim, keep)
    return (y.half().to(y.dtype) / (x.numel() / y.numel())).to(y.dtype)

def float16__mul(a: Tensor, b: Tensor) -> Tensor:
    y = a * b
    if y.is_floating_point():
        return y.half().to(y.dtype)
    return y

def float16__exp(x: Tensor) -> Tensor:
    y = torch.exp(x)
    return y.half().to(y.dtype)

def float16__sqrt(x: Tensor) -> Tensor:
    y = torch.sqrt(x)
    return y.half().to(y.dtype)

def float16__rsqrt(x: Tensor) -> Tensor:
    y = torch.rsqrt(x)
    return y.half().to(y.dtype)

def as_float32__input(x: Tensor) -> Tensor:
    return x.float().to(x.dtype)

def as_int32__input(x: Tensor) -> Tensor:
    if x.is_floating_point() or x.is_complex():
        return x
    return x.int().to(x.dtype)

def as_float16__input(x: Tensor) -> Tensor:
    if x.is_floating_point():
        return x.half().to(x.dtype)
    return x

def nan_as_zero__input(x: Tensor) -> Tensor:
    if x.is_floating_point():
        return torch.where(x == x, x, torch.zeros_like(x))
    return x

def infinity_as_largest__input(x: Tensor) -> Tensor:
    if x.is_floating_point():
        return torch.where(torch.isinf(x), torch.sign(x) * 3e38, x)
    return x
)";

}  // namespace akgen::task
