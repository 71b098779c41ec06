package dev.trainyard.bench.scheduler;

/** A profile of Trainyard's scheduler that is compared with the profile {@code extender} without its extender. */
public enum MeasuredProfile {
    EXTENDER("with our profile, with and without the extender in turns. All pods", "the extender", 0.9),
    PLUGINS("with profile plugins; without: profile extender, no extender. All pods", "profile plugins", 0.98);

    private final String introduction;
    private final String side;
    private final double target;

    MeasuredProfile(String introduction, String side, double target) {
        this.introduction = introduction;
        this.side = side;
        this.target = target;
    }

    String introduction() {
        return introduction;
    }

    /** Returns the words for what one side of the comparison has. */
    String side() {
        return side;
    }

    /** Returns the least ratio of the pods placed per second. */
    double target() {
        return target;
    }
}
