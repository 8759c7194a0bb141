"""What a page of a browser keeps."""

import json

from playwright.sync_api import CDPSession


def stored_bytes(cdp: CDPSession) -> int:
    """Bytes of what the page's scripts keep, without what the engine compiles of them: that grows
    as long as more of the page is used often."""
    chunks: list[str] = []

    def add(event: dict[str, str]) -> None:
        chunks.append(event["chunk"])

    cdp.on("HeapProfiler.addHeapSnapshotChunk", add)
    cdp.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": False})
    cdp.remove_listener("HeapProfiler.addHeapSnapshotChunk", add)
    found = json.loads("".join(chunks))
    fields = found["snapshot"]["meta"]["node_fields"]
    kinds = found["snapshot"]["meta"]["node_types"][0]
    nodes, step = found["nodes"], len(fields)
    sizes = nodes[fields.index("self_size") :: step]
    types = nodes[fields.index("type") :: step]
    apart = {kinds.index("code"), kinds.index("native")}
    return sum(size for size, kind in zip(sizes, types, strict=True) if kind not in apart)
