"""Memory traffic, arithmetic and roofline estimates of graphs and plans."""
