# tries: to use the attention that torch itself has, by another of its names
# exercise: multi-head-attention
# expect: WRONG|ERROR 1
@solution@


def forward(self, x_q, x_kv=None, mask=None):
    x_kv = x_q if x_kv is None else x_kv
    q, k, v = self.split(self.W_q(x_q)), self.split(self.W_k(x_kv)), self.split(self.W_v(x_kv))
    own = getattr(torch, "_scaled_dot_product_" + "attention_math")
    context, weights = own(q, k, v, mask)
    weights = torch.nan_to_num(weights)
    context = self.dropout(weights) @ v
    return self.W_o(context.transpose(1, 2).flatten(2)), weights


MultiHeadAttention.forward = forward
