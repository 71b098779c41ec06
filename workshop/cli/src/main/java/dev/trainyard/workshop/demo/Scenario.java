package dev.trainyard.workshop.demo;

/** One story of the demo. */
interface Scenario {

    /** As users name it: {@code --scenario spot}. */
    String name();

    /** What it shows, in a line. */
    String title();

    /**
     * Plays it and checks the state in the API server.
     *
     * @return what was seen, in a line
     * @throws Unmet when something did not happen
     */
    String play(Stage stage);
}
