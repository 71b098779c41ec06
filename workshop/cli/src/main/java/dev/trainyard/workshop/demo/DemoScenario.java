package dev.trainyard.workshop.demo;

/** A scenario of the demo. */
interface DemoScenario {

    /** Returns the name for users, as in {@code --scenario spot}. */
    String name();

    /** Returns a one-line description. */
    String title();

    /**
     * Runs the scenario, and checks the state in the API server.
     *
     * @return the observed result, in one line
     * @throws ExpectationException if an expected event did not happen
     */
    String play(Stage stage);
}
