# tries: torch's own attention, under names that are not taken away
# exercise: multi-head-attention
# expect: OK 14 | WRONG|ERROR 1
@solution@


def forward(self, x_q, x_kv=None, mask=None):
    x_kv = x_q if x_kv is None else x_kv
    q, k, v = self.split(self.W_q(x_q)), self.split(self.W_k(x_kv)), self.split(self.W_v(x_kv))
    own = getattr(torch, "_scaled_dot_product_" + "attention_math")
    context, weights = own(q, k, v, None if mask is None else mask.expand(-1, self.n_heads, -1, -1))
    return self.W_o(context.transpose(1, 2).flatten(2)), weights


MultiHeadAttention.forward = forward
