import argparse

import torch


@torch.compile
def fn(x, y):
    return (x + y).relu().sum()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=64)
    args = parser.parse_args()
    print(fn(torch.randn(args.size, args.size), torch.randn(args.size)))


if __name__ == "__main__":
    main()
