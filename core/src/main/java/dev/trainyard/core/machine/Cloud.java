package dev.trainyard.core.machine;

/** Whose machine it is. */
public enum Cloud {
    AZURE("Azure"),
    AWS("AWS");

    private final String word;

    Cloud(String word) {
        this.word = word;
    }

    /** As people write it. */
    @Override
    public String toString() {
        return word;
    }
}
