package dev.trainyard.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.core.Names;
import dev.trainyard.runtime.resource.TrainingTier;
import dev.trainyard.scaler.loop.Round;
import dev.trainyard.simulation.cluster.Disturbance;
import dev.trainyard.simulation.cluster.NoticeSign;
import dev.trainyard.simulation.cluster.SmallWorld;
import dev.trainyard.simulation.time.VirtualTime;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Tests that violations of the invariants of leaving gangs are detected, in the rounds of a scaler that evicts a gang of two pods. */
class LeavingGangsTest {

    private static final Map<String, String> MEMBER = Map.of(Names.TIER, "gpu", Names.GANG, "g", Names.GANG_SIZE, "2");

    private final List<String> broken = new ArrayList<>();
    private Runnable beforeCheck = () -> {};
    private Scene scene = scene(true);
    private LeavingGangs gangs = new LeavingGangs(scene.world(), new AnnouncedNodes(scene.world()));

    @Test
    void oneMemberStays() {
        scene = scene(false);
        gangs = new LeavingGangs(scene.world(), new AnnouncedNodes(scene.world()));
        announceReclaimOfFirstMember();
        beforeCheck = () -> change(true);
        gangs.evicts(scene.asked("one"));
        scene.pass(Duration.ofSeconds(5));

        assertThat(broken).containsExactly("the members of a gang leave in one round");
    }

    @Test
    void allMembersLeave() {
        announceReclaimOfFirstMember();
        assertThat(gangs.mayLeave(pod("two"))).isTrue();
        gangs.evicts(scene.asked("one"));
        gangs.evicts(scene.asked("two"));
        scene.pass(Duration.ofSeconds(5));

        assertThat(broken).isEmpty();
    }

    @Test
    void oneMemberStaysAndTheMachineOfTheOtherIsBroken() {
        scene = scene(false);
        gangs = new LeavingGangs(scene.world(), new AnnouncedNodes(scene.world()));
        breakMachineOfFirstMember();
        beforeCheck = () -> change(true);
        gangs.evicts(scene.asked("one"));
        scene.pass(Duration.ofSeconds(15));

        assertThat(broken).containsExactly("the members of a gang leave in one round");
    }

    @Test
    void allMembersLeaveWithBrokenMachine() {
        breakMachineOfFirstMember();
        assertThat(gangs.mayLeave(pod("two"))).isTrue();
        gangs.evicts(scene.asked("one"));
        gangs.evicts(scene.asked("two"));
        scene.pass(Duration.ofSeconds(15));

        assertThat(broken).isEmpty();
        assertThat(scene.world().server().pods().get("team/two")).isEmpty();
    }

    @Test
    void membersLeaveAlthoughTheirTierDoesNotSaySo() {
        announceReclaimOfFirstMember();
        beforeCheck = () -> change(false);
        gangs.evicts(scene.asked("one"));
        gangs.evicts(scene.asked("two"));
        scene.pass(Duration.ofSeconds(5));

        assertThat(broken).containsExactly("only gangs that leave together are evicted from machines that stay");
    }

    private void announceReclaimOfFirstMember() {
        changeNodeOfFirstMember(node -> NoticeSign.STATED.put(node, scene.now(), Duration.ofMinutes(4)));
    }

    /** The sign counts at once, since it appeared a while ago. */
    private void breakMachineOfFirstMember() {
        changeNodeOfFirstMember(node -> new NodeBuilder(node)
                .editStatus()
                .addNewCondition()
                .withType("AcceleratedHardwareReady")
                .withStatus("False")
                .withLastTransitionTime(scene.now().minus(Duration.ofMinutes(3)).toString())
                .endCondition()
                .endStatus()
                .build());
    }

    private void changeNodeOfFirstMember(UnaryOperator<Node> change) {
        scene.pass(Duration.ofMinutes(5));
        var machines = scene.world().cloud().running("gpu");
        scene.pod("one", machines.get(0), MEMBER, "1");
        scene.pod("two", machines.get(1), MEMBER, "1");
        scene.pass(Duration.ofMinutes(1));
        assertThat(gangs.mayLeave(pod("two"))).isFalse();
        scene.world().server().nodes().changeIfThere(machines.get(0), change);
        scene.pass(Duration.ofMillis(1));
    }

    private Pod pod(String name) {
        return scene.world().server().pods().get("team/" + name).orElseThrow();
    }

    /** Changes what the invariants expect, after the scaler's round. */
    private void change(boolean together) {
        scene.world().server().tiers().change("gpu", null, before -> {
            var after = tier(together);
            after.setMetadata(before.getMetadata());
            return after;
        });
    }

    private Scene scene(boolean together) {
        return Scene.disturbed(
                List.of(SmallWorld.pool("gpu", "on-demand", 4, "1", "min: 2")),
                tier(together),
                new VirtualTime(SmallWorld.START),
                new Disturbance() {
                    @Override
                    public void ended(Round.Result round) {
                        beforeCheck.run();
                        try {
                            gangs.ended(round);
                        } catch (InvariantViolation violation) {
                            broken.add(violation.invariant());
                        }
                    }
                });
    }

    private static TrainingTier tier(boolean together) {
        return new KubernetesSerialization().unmarshal("""
                apiVersion: trainyard.dev/v1alpha1
                kind: TrainingTier
                metadata: {name: gpu}
                spec: {pools: [gpu], gangsLeaveTogether: %b}
                """.formatted(together), TrainingTier.class);
    }
}
