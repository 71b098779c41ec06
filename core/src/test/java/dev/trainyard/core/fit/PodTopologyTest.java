package dev.trainyard.core.fit;

import static dev.trainyard.core.fit.Related.pod;
import static dev.trainyard.core.fit.Related.selector;
import static dev.trainyard.core.fit.Related.topology;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.node.Taint;
import dev.trainyard.core.pod.Selector;
import dev.trainyard.core.pod.SpreadConstraint;
import dev.trainyard.core.resource.Resources;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodTopologyTest {

    private static final String PORTS = "node(s) didn't have free ports for the requested pod ports";
    private static final String AFFINITY = "node(s) didn't match pod affinity rules";
    private static final String ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules";
    private static final String REPELLED = "node(s) didn't satisfy existing pods anti-affinity rules";
    private static final String SPREAD = "node(s) didn't match pod topology spread constraints";
    private static final String NO_LABEL = SPREAD + " (missing required label)";

    private final PodTopology neighbourhood = new PodTopology();
    private final Site a1 = node("a1", "a");
    private final Site a2 = node("a2", "a");
    private final Site b1 = node("b1", "b");
    private final Site bare = neighbourhood.addNode(shape("bare", Map.of()));

    @ParameterizedTest
    @CsvSource({
        "TCP,0.0.0.0,80,false", "TCP,10.0.0.1,80,false", "TCP,10.0.0.2,80,true",
        "UDP,10.0.0.1,80,true", "TCP,10.0.0.1,81,true", "TCP,::,80,true"
    })
    void aPortOfTheHostIsTakenOnceForEachAddress(String protocol, String ip, int port, boolean free) {
        settle(pod().port("TCP", "10.0.0.1", 80), a1);
        var wants = pod().port(protocol, ip, port);
        assertThat(why(wants, a1)).isEqualTo(free ? Optional.empty() : Optional.of(PORTS));
        assertThat(why(wants, a2)).isEmpty();
    }

    @Test
    void aPortOnAllAddressesIsTakenOnEachOfThem() {
        settle(pod().port("TCP", "0.0.0.0", 80), a1);
        assertThat(why(pod().port("TCP", "10.0.0.1", 80), a1)).contains(PORTS);
    }

    @Test
    void podsStayApartFromThoseThatTheyWantToBeApartFrom() {
        settle(pod("app=x"), a1);
        var byHost = pod().apartFrom("app=x", "host");
        assertThat(why(byHost, a1)).contains(ANTI_AFFINITY);
        assertThat(why(byHost, a2)).isEmpty();
        var byZone = pod().apartFrom("app=x", "zone");
        assertThat(why(byZone, a2)).contains(ANTI_AFFINITY);
        assertThat(why(byZone, b1)).isEmpty();
        assertThat(why(byZone, bare)).as("in no zone").isEmpty();
        assertThat(why(pod().in("other").apartFrom("app=x", "host"), a1))
                .as("namespace")
                .isEmpty();
    }

    @Test
    void podsThatAreThereKeepOthersAwayAsWell() {
        settle(pod("app=shy").apartFrom("app=x", "zone"), a1);
        assertThat(why(pod("app=x"), a2)).contains(REPELLED);
        assertThat(why(pod("app=x"), b1)).isEmpty();
        assertThat(why(pod("app=y"), a1)).isEmpty();
    }

    @Test
    void aPodThatIsGoingStillKeepsOthersAway() {
        var shy = pod("app=shy").apartFrom("app=x", "host");
        neighbourhood.settle(shy.relations(), shy.shape().hostPorts(), true, a1);
        assertThat(why(pod("app=x"), a1)).contains(REPELLED);
        assertThat(why(pod().apartFrom("app=shy", "host"), a1)).contains(ANTI_AFFINITY);
    }

    @Test
    void namespacesMayBeToldByTheirLabels() {
        var team = new Selector(List.of(new dev.trainyard.core.pod.LabelRequirement("name", "In", List.of("there"))));
        settle(pod().apartFromAnybodyOf(team, "host"), a1);
        assertThat(why(pod().in("there"), a1)).contains(REPELLED);
        assertThat(why(pod().in("here"), a1)).isEmpty();
        settle(pod().apartFromAnybodyOf(Selector.EVERYTHING, "host"), b1);
        assertThat(why(pod().in("here"), b1)).contains(REPELLED);
    }

    @Test
    void affinityWantsAPodThatAllTermsMeanInEachOfTheTopologies() {
        settle(pod("app=x"), a1);
        settle(pod("app=x", "role=ps"), b1);
        var both = pod().near("app=x", "host").near("role=ps", "zone");
        assertThat(why(both, a1)).as("the pod there is no ps").contains(AFFINITY);
        assertThat(why(both, b1)).isEmpty();
        assertThat(why(pod().near("app=x", "zone"), a2)).isEmpty();
        assertThat(why(pod().near("app=x", "zone"), bare)).contains(AFFINITY);
    }

    @Test
    void theFirstOfPodsThatWantToBeTogetherMayBeAnywhereThatHasTheTopology() {
        var group = pod("app=x").near("app=x", "zone");
        assertThat(why(group, a1)).isEmpty();
        assertThat(why(group, bare)).contains(AFFINITY);
        settle(group, b1);
        assertThat(why(group, a1)).contains(AFFINITY);
        assertThat(why(group, b1)).isEmpty();
        assertThat(why(pod("app=y").near("app=z", "zone"), a1))
                .as("waits for others")
                .contains(AFFINITY);
    }

    @Test
    void aPodThatNobodyCanBeNearIsNoFirstOne() {
        var group = pod("app=x").near("app=x", "zone");
        settle(group, bare);
        assertThat(why(group, a1)).as("as the scheduler has it").isEmpty();
    }

    @Test
    void spreadsPodsOverHosts() {
        var spread = pod("app=x").spread("app=x", "host", 1).on("pool=p");
        settle(spread, a1);
        assertThat(why(spread, a1)).contains(SPREAD);
        assertThat(why(spread, a2)).isEmpty();
        settle(spread, a2);
        settle(spread, b1);
        assertThat(why(spread, a1)).as("all are even again").isEmpty();
        assertThat(why(spread, bare)).contains(NO_LABEL);
    }

    @Test
    void spreadCountsNoPodsOfOtherNamespacesOrThatAreGoing() {
        settle(pod("app=x").in("other"), a1);
        var going = pod("app=x");
        neighbourhood.settle(going.relations(), going.shape().hostPorts(), true, a1);
        assertThat(why(pod("app=x").spread("app=x", "zone", 1), a1)).isEmpty();
    }

    @Test
    void aPodThatItsOwnConstraintDoesNotCountMayJoinAFullDomain() {
        settle(pod("app=x"), a1);
        assertThat(why(pod("app=y").spread("app=x", "zone", 1), a1)).isEmpty();
        assertThat(why(pod("app=x").spread("app=x", "zone", 1), a1)).contains(SPREAD);
    }

    @Test
    void aConstraintThatSelectsEverythingCountsNothing() {
        settle(pod("app=x"), a1);
        settle(pod("app=x"), a1);
        assertThat(why(pod("app=x").spread("", "zone", 1), a1))
                .as("as the scheduler has it")
                .isEmpty();
    }

    @Test
    void tooFewDomainsCountAsOneThatIsEmpty() {
        var constraint = new SpreadConstraint(topology("zone"), selector("app=x"), 1, 3, true, false);
        var spread = pod("app=x").spread(constraint);
        settle(spread, a1);
        settle(spread, b1);
        assertThat(why(spread, a1)).contains(SPREAD);
        node("c1", "c");
        settle(spread, neighbourhood.addNode(shape("c2", Map.of(topology("zone"), "c", topology("host"), "c2"))));
        assertThat(why(spread, a1)).isEmpty();
    }

    @Test
    void onlyNodesThatThePodMayHaveAreDomainsUnlessItSaysOtherwise() {
        neighbourhood.addNode(new NodeShape(
                "empty",
                Map.of(topology("zone"), "empty", topology("host"), "empty"),
                List.of(new Taint("gpu", null, "NoSchedule")),
                true,
                Resources.NONE));
        List.of(a1, b1).forEach(site -> settle(pod("app=x"), site));

        assertThat(why(pod("app=x").spread(policies(true, false)).on("pool=p"), a1))
                .as("its selector leaves the empty zone out")
                .isEmpty();
        assertThat(why(pod("app=x").spread(policies(false, false)).on("pool=p"), a1))
                .contains(SPREAD);
        assertThat(why(pod("app=x").spread(policies(false, true)).on("pool=p"), a1))
                .as("the taint leaves the empty zone out")
                .isEmpty();
        assertThat(why(pod("app=x").spread(policies(false, true)).tolerating("gpu"), a1))
                .contains(SPREAD);
    }

    private static SpreadConstraint policies(boolean honoursAffinity, boolean honoursTaints) {
        return new SpreadConstraint(topology("zone"), selector("app=x"), 1, 1, honoursAffinity, honoursTaints);
    }

    @Test
    void aNodeMustHaveTheLabelsOfAllConstraintsToCount() {
        settle(pod("app=x"), a1);
        settle(pod("app=x"), b1);
        neighbourhood.addNode(shape("c1", Map.of(topology("zone"), "c")));
        var spread = pod("app=x").spread("app=x", "zone", 1).spread("app=x", "host", 5);
        assertThat(why(spread, a1)).as("zone c has no host that counts").isEmpty();
    }

    @Test
    void aNewMachineIsAHostOfItsOwnInTheZoneThatItsPoolPromises() {
        var template = shape("promise", Map.of(topology("zone"), "a"));
        var first = neighbourhood.addMachine(template);
        var second = neighbourhood.addMachine(template);
        var byHost = pod("app=x").apartFrom("app=x", "host");
        settle(byHost, first);
        assertThat(why(byHost, first)).contains(ANTI_AFFINITY);
        assertThat(why(byHost, second)).isEmpty();
        assertThat(why(pod().apartFrom("app=x", "zone"), second)).contains(ANTI_AFFINITY);
        assertThat(unmodelled(byHost, second)).isEmpty();
    }

    @Test
    void saysWhatNobodyCanTellOfAMachineThatIsYetToCome() {
        settle(pod("app=x").apartFrom("app=new", "rack"), neighbourhood.addNode(shape("r", Map.of("rack", "1"))));
        var machine = neighbourhood.addMachine(shape("promise", Map.of()));
        var picky =
                pod("app=new").near("app=x", "zone").apartFrom("app=x", "zone").spread("app=x", "row", 1);
        assertThat(why(picky, machine)).isEmpty();
        assertThat(unmodelled(picky, machine))
                .containsExactly(
                        "other pods' anti-affinity over label rack, which no new machine promises",
                        "pod affinity over label topology.kubernetes.io/zone, which no new machine promises",
                        "pod anti-affinity over label topology.kubernetes.io/zone, which no new machine promises",
                        "topology spread over label row, which no new machine promises");
        assertThat(unmodelled(picky, a1)).as("a node is what it is").isEmpty();
    }

    @Test
    void podsWithTheSameLabelsMayWantDifferentThings() {
        settle(pod("app=y"), a1);
        var loner = pod("app=x").near("app=y", "host");
        var couple = pod("app=x").near("app=x", "host");
        assertThat(why(loner, a2)).contains(AFFINITY);
        assertThat(why(couple, a2)).isEmpty();
    }

    @Test
    void whoeverLooksForAPlaceHearsOfPodsThatComeLater() {
        var x = newcomer(pod("app=x"));
        var shy = newcomer(pod("app=shy").apartFrom("app=x", "host"));
        neighbourhood.place(shy, a1);
        assertThat(neighbourhood.check(x, a1)).contains(new Misfit(REPELLED, true));
        neighbourhood.place(x, a2);
        assertThat(neighbourhood.check(shy, a2)).contains(new Misfit(ANTI_AFFINITY, true));
    }

    @Test
    void whatIsTakenBackLeavesNoTrace() {
        var x = pod("app=x")
                .apartFrom("app=x", "zone")
                .spread("app=x", "host", 1)
                .port("TCP", "0.0.0.0", 80);
        int before = neighbourhood.mark();
        var machine = neighbourhood.addMachine(shape("promise", Map.of(topology("zone"), "a")));
        settle(x, machine);
        settle(pod("app=x"), a2);
        assertThat(why(x, a1)).isPresent();
        neighbourhood.undo(before);
        assertThat(why(x, a1)).isEmpty();
        assertThat(why(x, a2)).isEmpty();
        assertThat(why(pod().near("app=x", "zone"), a1)).contains(AFFINITY);
    }

    @Test
    void aMachineThatIsTakenBackIsNoDomainAnyMore() {
        var spread = newcomer(pod("app=x").spread("app=x", "zone", 1));
        List.of(a1, b1).forEach(site -> settle(pod("app=x"), site));
        int before = neighbourhood.mark();
        neighbourhood.addMachine(shape("promise", Map.of(topology("zone"), "c")));
        assertThat(neighbourhood.check(spread, a1)).isPresent();
        neighbourhood.undo(before);
        assertThat(neighbourhood.check(spread, a1)).isEmpty();
    }

    @Test
    void tenThousandPodsThatAreAllApartFindTheirPlacesInNoTime() {
        var pods = pod("app=x").apartFrom("app=x", "host");
        var newcomer = newcomer(pods);
        var machines = new ArrayList<Site>();
        long start = System.nanoTime();
        for (int i = 0; i < 10_000; i++) {
            var machine = neighbourhood.addMachine(shape("promise", Map.of()));
            assertThat(neighbourhood.check(newcomer, machine)).isEmpty();
            neighbourhood.place(newcomer, machine);
            machines.add(machine);
        }
        assertThat(machines)
                .allSatisfy(m -> assertThat(neighbourhood.check(newcomer, m)).isPresent());
        assertThat((System.nanoTime() - start) / 1_000_000).as("milliseconds").isLessThan(5_000);
    }

    private Optional<String> why(Related pod, Site site) {
        return neighbourhood.check(newcomer(pod), site).map(Misfit::reason);
    }

    private List<String> unmodelled(Related pod, Site site) {
        return List.copyOf(neighbourhood.unmodelled(newcomer(pod), site));
    }

    private PodsToPlace newcomer(Related pod) {
        return neighbourhood.newcomer(pod.shape(), pod.relations());
    }

    private void settle(Related pod, Site site) {
        neighbourhood.settle(pod.relations(), pod.shape().hostPorts(), false, site);
    }

    private Site node(String name, String zone) {
        return neighbourhood.addNode(shape(name, Map.of(topology("zone"), zone, topology("host"), name, "pool", "p")));
    }

    private static NodeShape shape(String name, Map<String, String> labels) {
        return new NodeShape(name, new HashMap<>(labels), List.of(), true, Resources.NONE);
    }
}
