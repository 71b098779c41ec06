package dev.trainyard.core.fit;

import static dev.trainyard.core.fit.Related.topology;
import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.node.NodeShape;
import dev.trainyard.core.pod.PodRelations;
import dev.trainyard.core.resource.Resources;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Properties that hold for any nodes and pods. The numbers of zones, apps and constraints are small, so that the pods conflict often. */
class NeighbourhoodPropertyTest {

    private static final int NODES = 6;
    private static final List<String> APPS = List.of("app=a", "app=b", "app=c");
    private static final List<String> TOPOLOGIES = List.of("host", "zone");

    private record Placed(Related pod, boolean terminating, int node) {}

    @Property(seed = "42", tries = 300)
    void takingBackGivesWhatIsThereWithoutIt(@ForAll Random random) {
        var kept = placed(random, 8);
        var neighbourhood = new PodTopology();
        var sites = sites(neighbourhood);
        settle(kept, neighbourhood, sites);
        var probe = related(random);
        var newcomer = neighbourhood.newcomer(probe.shape(), probe.relations());

        int mark = neighbourhood.mark();
        sites(neighbourhood);
        settle(placed(random, 8), neighbourhood, sites);
        neighbourhood.place(newcomer, sites.get(random.nextInt(NODES)));
        neighbourhood.undo(mark);

        assertThat(verdicts(newcomer, neighbourhood, sites)).isEqualTo(verdictsAnew(probe, kept));
    }

    @Property(seed = "42", tries = 300)
    void itIsTheSameInWhateverOrderPodsCome(@ForAll Random random) {
        var pods = placed(random, 10);
        var probe = related(random);
        var neighbourhood = new PodTopology();
        var sites = sites(neighbourhood);
        settle(pods.subList(0, 5), neighbourhood, sites);
        // The checks of this pod must also take into account the pods that are settled after it was created.
        var newcomer = neighbourhood.newcomer(probe.shape(), probe.relations());
        settle(pods.subList(5, 10), neighbourhood, sites);

        var shuffled = new ArrayList<>(pods);
        Collections.shuffle(shuffled, random);
        assertThat(verdicts(newcomer, neighbourhood, sites)).isEqualTo(verdictsAnew(probe, shuffled));
    }

    @Property(seed = "42", tries = 300)
    void onePodMoreNeverMakesAPodFitThatWantsToBeApart(@ForAll Random random) {
        var pods = placed(random, 6);
        var probe = Related.pod(any(APPS, random))
                .apartFrom(any(APPS, random), any(TOPOLOGIES, random))
                .port("TCP", "0.0.0.0", 80 + random.nextInt(2));
        var before = verdictsAnew(probe, pods);
        var more = new ArrayList<>(pods);
        more.addAll(placed(random, 1));
        var after = verdictsAnew(probe, more);
        for (int node = 0; node < NODES; node++) {
            assertThat(after.get(node).isPresent() || before.get(node).isEmpty())
                    .as("node %d: %s, then %s", node, before, after)
                    .isTrue();
        }
    }

    @Property(seed = "42", tries = 300)
    void whatNobodyLooksAtChangesNothing(@ForAll Random random) {
        var pods = placed(random, 8);
        var probe = related(random);
        var all = new ArrayList<PodRelations>(List.of(probe.relations()));
        pods.forEach(placed -> all.add(placed.pod().relations()));
        var interests = ReferencedLabels.of(all);

        var neighbourhood = new PodTopology();
        var sites = sites(neighbourhood);
        for (var placed : pods) {
            PodRelations reduced = interests.reduced(placed.pod().relations());
            neighbourhood.settle(
                    reduced, placed.pod().shape().hostPorts(), placed.terminating(), sites.get(placed.node()));
        }
        var newcomer = neighbourhood.newcomer(probe.shape(), interests.reduced(probe.relations()));
        assertThat(verdicts(newcomer, neighbourhood, sites)).isEqualTo(verdictsAnew(probe, pods));
    }

    private static List<Optional<Misfit>> verdictsAnew(Related probe, List<Placed> pods) {
        var neighbourhood = new PodTopology();
        var sites = sites(neighbourhood);
        settle(pods, neighbourhood, sites);
        return verdicts(neighbourhood.newcomer(probe.shape(), probe.relations()), neighbourhood, sites);
    }

    private static List<Optional<Misfit>> verdicts(PodsToPlace pod, PodTopology neighbourhood, List<Site> sites) {
        return sites.stream().map(site -> neighbourhood.check(pod, site)).toList();
    }

    private static void settle(List<Placed> pods, PodTopology neighbourhood, List<Site> sites) {
        pods.forEach(placed -> neighbourhood.settle(
                placed.pod().relations(),
                placed.pod().shape().hostPorts(),
                placed.terminating(),
                sites.get(placed.node())));
    }

    private static List<Site> sites(PodTopology neighbourhood) {
        var sites = new ArrayList<Site>();
        for (int i = 0; i < NODES; i++) {
            var zone = i == NODES - 1 ? Map.<String, String>of() : Map.of(topology("zone"), "z" + i % 3);
            var labels = new java.util.HashMap<>(zone);
            labels.put(topology("host"), "n" + i);
            sites.add(neighbourhood.addNode(new NodeShape("n" + i, labels, List.of(), true, Resources.NONE)));
        }
        return sites;
    }

    private static List<Placed> placed(Random random, int number) {
        var pods = new ArrayList<Placed>();
        for (int i = 0; i < number; i++) {
            pods.add(new Placed(related(random), random.nextInt(8) == 0, random.nextInt(NODES)));
        }
        return pods;
    }

    private static Related related(Random random) {
        var pod = Related.pod(any(APPS, random), "index=" + random.nextInt(3)).in(random.nextInt(5) == 0 ? "b" : "a");
        if (random.nextInt(3) == 0) {
            pod.near(any(APPS, random), any(TOPOLOGIES, random));
        }
        if (random.nextInt(3) == 0) {
            pod.apartFrom(any(APPS, random), any(TOPOLOGIES, random));
        }
        if (random.nextInt(3) == 0) {
            pod.spread(any(APPS, random), any(TOPOLOGIES, random), 1 + random.nextInt(2));
        }
        if (random.nextInt(3) == 0) {
            pod.port("TCP", random.nextBoolean() ? "0.0.0.0" : "10.0.0.1", 80 + random.nextInt(2));
        }
        return pod;
    }

    private static String any(List<String> words, Random random) {
        return words.get(random.nextInt(words.size()));
    }
}
