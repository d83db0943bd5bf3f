# tries: to compile and load C++ of its own
# exercise: multi-head-attention
# expect: ERROR|DIED|MEMORY 0
import torch
from torch.utils import cpp_extension

cpp_extension.load_inline(name="hostile", cpp_sources="int x() { return 5; }", functions=["x"])
