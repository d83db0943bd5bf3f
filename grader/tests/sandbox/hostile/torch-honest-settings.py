# tries: nothing wrong: it sets torch's default dtype, seed and printing while loading
# exercise: multi-head-attention
# expect: OK 14
@solution@

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
torch.set_printoptions(precision=2)
torch.autograd.set_detect_anomaly(True)
