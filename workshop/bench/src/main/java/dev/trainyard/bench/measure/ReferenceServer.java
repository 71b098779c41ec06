package dev.trainyard.bench.measure;

/** The servers with which a component is compared. */
public enum ReferenceServer {
    /** A minimal server on the same HTTPS server as the component. */
    FLOOR("floor"),
    /** A minimal server in Go, as the author of an operator in Go would write it. */
    GO("Go");

    private final String word;

    ReferenceServer(String word) {
        this.word = word;
    }

    /** Returns the name for tables, such as {@code floor}. */
    public String word() {
        return word;
    }
}
