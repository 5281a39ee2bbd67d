def reference(softmaxOutput: Tensor, gradOutput: Tensor, values: Tensor) -> Tensor:
    g = torch.matmul(gradOutput, values.t())
    return (g - torch.sum(softmaxOutput * g, [-1], True)) * softmaxOutput
