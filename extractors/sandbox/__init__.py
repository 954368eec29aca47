"""One confined process per file.

The parent's side is `extractor` (the public class), `zygote_handle`, `job` and `input_file`. The other side is `zygote`
(parsers loaded once, forks per file), `warmup`, `child` and the layers around it: `confine`, `landlock`, `seccomp`,
`syscalls`, `doors`. Both sides speak `wire` over a `channel`.
"""
