package dev.trainyard.local.testing;

import dev.trainyard.local.binaries.BinariesUnavailableException;
import java.util.Map;
import org.opentest4j.TestAbortedException;

/** The outcome of tests on a machine without the binaries of a control plane. */
final class WithoutBinaries {
    private WithoutBinaries() {}

    /** Returns an exception to throw. The exception skips the tests, or fails the tests if {@code CI=true}. */
    static RuntimeException outcome(BinariesUnavailableException problem, Map<String, String> environment) {
        if ("true".equals(environment.get("CI"))) {
            return problem;
        }
        System.err.println("SKIPPED: no control plane is available for tests. With CI=true, the tests fail instead.");
        System.err.println(problem.getMessage());
        return new TestAbortedException("no control plane: " + problem.getMessage(), problem);
    }
}
