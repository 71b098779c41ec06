package dev.trainyard.simulation.cluster;

/** A component of Trainyard, which may be missing in a {@link World}. */
public enum SimulatedComponent {
    WEBHOOK,
    EXTENDER,
    SCALER
}
