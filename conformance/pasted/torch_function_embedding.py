import torch
import torch.nn.functional as F


def embed(input_ids, token_embedding, position_embedding):
    positions = torch.arange(input_ids.shape[1], device=input_ids.device)
    return F.embedding(input_ids, token_embedding) + position_embedding[positions]
