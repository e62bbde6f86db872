"""Transcripts that agents' runtimes leave behind, read into turns. Pure: lines in, turns and faults out."""
