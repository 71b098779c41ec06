package dev.trainyard.webhook.pod;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MutationNotesTest {

    private final MutationNotes notes = new MutationNotes();

    @Test
    void theSummaryTellsWhatWasGivenAndWhatNot() {
        notes.given("tier a");
        notes.reservation("no mounts: forbidden");
        notes.warn("an old name");
        notes.given("placed on b");

        assertThat(notes.summary()).isEqualTo("tier a; placed on b; but no mounts: forbidden");
        assertThat(notes.warnings()).containsExactly("no mounts: forbidden", "an old name");
    }

    @Test
    void whatMayNotBeMeantSoIsInTheSummaryAndAWarning() {
        notes.given("tier a");
        notes.reservation("two drivers");

        assertThat(notes.summary()).isEqualTo("tier a; but two drivers");
        assertThat(notes.warnings()).containsExactly("two drivers");
    }

    @Test
    void warningsAreShortAndNotRepeated() {
        notes.warn("x".repeat(120));
        notes.warn("y".repeat(121));
        notes.warn("y".repeat(122));

        assertThat(notes.warnings()).containsExactly("x".repeat(120), "y".repeat(117) + "...");
    }

    @Test
    void thirtyWarningsAreTheMost() {
        var notes = new MutationNotes();
        for (int number = 1; number <= 100; number++) {
            notes.warn("warning " + number);
        }

        assertThat(notes.warnings()).hasSize(30).startsWith("warning 1").endsWith("warning 29", "and 71 more");
    }
}
