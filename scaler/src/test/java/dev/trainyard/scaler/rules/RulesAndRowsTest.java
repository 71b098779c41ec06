package dev.trainyard.scaler.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checks that every rule and every user report has a test named after it. Rules are the lessons from the autoscalers of 2017
 * ({@code ruleNN_...}). Reports are the lines of their users that concern the scaler ({@code seedNNN_...}).
 */
class RulesAndRowsTest {

    private static final int RULES = 34;
    private static final Path ROOT = Path.of(System.getProperty("trainyard.root"));
    private static final Pattern METHOD = Pattern.compile("void ((?:rule\\d\\d|seed\\d\\d\\d)_\\w+)\\(");

    @Test
    void everyRuleHasATestThatIsNamedAfterIt() {
        var tested = tests().stream()
                .filter(test -> test.startsWith("rule"))
                .map(test -> Integer.valueOf(test.substring(4, 6)))
                .collect(Collectors.toCollection(TreeSet::new));

        var missing = IntStream.rangeClosed(1, RULES)
                .boxed()
                .filter(rule -> !tested.contains(rule))
                .toList();

        assertThat(missing).as("rules without a test").isEmpty();
        assertThat(tested).as("rules that there are").allMatch(rule -> rule >= 1 && rule <= RULES);
    }

    /** A line of the articles, as a word in the name of its test. */
    @ParameterizedTest
    @CsvSource({
        "000, aBurstOfForty",
        "000, aThousandLoops",
        "000, mustNotBeInterrupted",
        "000, threeKindsOfTraining",
        "000, onlyThePoolThatCanRun",
        "000, thereAreAtFirst",
        "000, ofAHundredAndFiftyPods",
        "000, whileADriverIsInstalled",
        "000, isReplacedOnce",
        "000, longerThanADriverTakes",
        "000, podsArePacked",
        "000, aSecondJobWithAGpu",
        "000, podsThatHaveEnded",
        "000, podsOfDaemonSetsAndStaticPods",
        "000, machinesFollowTheReplicas",
        "000, overQuota",
        "000, isUndrainableAndNamesThePod",
        "003, scalesFromZero",
        "003, beganWithOneMachine",
        "003, itsOwnMaximum",
        "003, ofADeletedNode",
        "003, aMachineThatIsGone",
        "003, isServedAgain",
        "003, anyProviderId",
        "003, aLowPriorityMachineAndOtherWorkNever",
        "003, onDemandIsAskedInTheRoundThatSeesIt",
        "003, doesNotComeInTime",
        "003, lowPriorityIsBack",
        "003, threeIdleMasters",
        "004, twoHundredReplicas",
        "004, atMostTen",
        "004, atLeastOne",
        "004, withoutSpareMachines",
        "004, neededAndWhatIsAskedFor",
        "004, eachPodIsTold",
        "000, azureAPoolWithoutAPromiseIsRefused",
        "000, azureNc6HasSixCpusAndAGpu",
        "000, azureDeletesTheVmThenItsNicThenItsDisk",
        "003, azureNc6sV3IsOfTheQuotaFamilyNcsV3",
        "003, azureAScaleSetOfOnePlacementGroupHasAtMostAHundred",
        "003, azureAProviderIdTellsGroupSetAndIndex",
        "003, azureWarnsOfTheEvictionPolicyDeallocate",
        "004, awsAGroupIsFoundByTheTagsOfKops",
        "004, awsSaysWhichRoleTagItExpects",
        "004, awsTagsOfKubeBecomePromisedLabels",
        "004, awsSelectsByTypeClassImageRegionAndZone",
        "004, awsNamesGroupsWithoutScaleInProtection",
        "004, awsAnUnknownInstanceTypePutsOneGroupOutOfUse"
    })
    void everyLineHasATestThatIsNamedAfterIt(String seed, String words) {
        var named = tests().stream()
                .filter(test -> test.startsWith("seed" + seed + "_")
                        && test.toLowerCase(Locale.ROOT).contains(words.toLowerCase(Locale.ROOT)))
                .toList();

        assertThat(named).isNotEmpty();
    }

    /** Returns the names of tests of all modules. */
    private static Set<String> tests() {
        return Stream.of("scaler", "clouds/aws", "clouds/azure", "webhook", "cli", "workshop/cli", "workshop/e2e")
                .map(module -> ROOT.resolve(module).resolve("src/test/java"))
                .flatMap(RulesAndRowsTest::sources)
                .flatMap(RulesAndRowsTest::testsOf)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<Path> sources(Path directory) {
        try (var files = Files.walk(directory)) {
            return files
                    .filter(file -> file.toString().endsWith("Test.java")
                            || file.toString().endsWith("IT.java"))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<String> testsOf(Path source) {
        try {
            return METHOD.matcher(Files.readString(source)).results().map(match -> match.group(1)).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
