"""From files and iterables to a vocabulary and to ids in a memory-mapped file.

Read in this order, which is that of the data:

    finding, unpacking, decoding    paths -> files -> bytes -> blocks of text
    remote                          addresses -> copies of their files
    pieces                          files -> pieces that can be read apart
    sentences                       text or token lists -> a `Corpus`: sentences that can be read again
    reading                         pieces -> results of workers, in order
    counting, spilling, vocabulary  a corpus -> word counts -> the words that take part
    encoding, prepared              a corpus and its vocabulary -> ids on disk, kept for the next run
    lines, lists                    files that are not a corpus: edges and parses; vocabularies and word lists
"""
