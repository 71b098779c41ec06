package dev.trainyard.bench.scoring.trace;

/** The kinds of pods. For each kind, the benchmark counts the pods that found no machine. */
public enum TracePodKind {
    EIGHT_GPUS("8-GPU"),
    SEVERAL_GPUS("2-7-GPU"),
    ONE_GPU("1-GPU"),
    SHARE("share"),
    CPU("CPU");

    private final String word;

    TracePodKind(String word) {
        this.word = word;
    }

    public String word() {
        return word;
    }
}
