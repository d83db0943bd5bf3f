# tries: nothing wrong, but it switches gradients off for the whole session
# exercise: multi-head-attention
# expect: WRONG 8
@solution@

torch.set_grad_enabled(False)
