import torch
import torch.nn.functional as F

def semantic_search(query_embeddings, corpus_embeddings, top_k=10, chunk_size=100):
    q = F.normalize(query_embeddings, p=2, dim=1)
    c = F.normalize(corpus_embeddings, p=2, dim=1)
    all_scores, all_idx = [], []
    for start in range(0, len(c), chunk_size):
        scores = q @ c[start:start + chunk_size].t()
        s, i = torch.topk(scores, min(top_k, scores.size(1)), dim=1, largest=True, sorted=False)
        all_scores.append(s)
        all_idx.append(i + start)
    scores = torch.cat(all_scores, 1)
    idx = torch.cat(all_idx, 1)
    best, pos = scores.topk(top_k, dim=1)
    return best, idx.gather(1, pos)

queries = torch.randn(8, 384)
corpus = torch.randn(1000, 384)
print(semantic_search(queries, corpus))
