"""One confined process per file.

The parent's side is `extractor` (the public class), `supply` and `zygote_handle`, `job` and `outcome`, `input_file`.
The other side is `zygote` (parsers loaded once, forks per file), `loading` and what it loads (`warmup` and alike),
`child`, and the layers around it: `confine`, `landlock`, `seccomp`, `syscalls`, `doors`. Both sides speak `wire` over a
`channel`.
"""
