package dev.trainyard.simulation.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.trainyard.simulation.workload.Task;
import java.lang.reflect.Array;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Checks that memory use does not grow with time. It counts all objects that a cluster refers to, directly or indirectly. */
class BoundedMemoryTest {

    @Test
    void whatIsOverIsForgotten() throws IllegalAccessException {
        var tasks = new ArrayList<Task>();
        for (int i = 0; i < 60 * 6; i++) {
            tasks.add(SmallWorld.job("j" + i, 1 + i % 4, Duration.ofMinutes(10L * i), Duration.ofMinutes(3 + i % 30)));
        }
        var world = SmallWorld.world(pool -> SmallWorld.QUICK, 1, tasks);

        world.passTo(Duration.ofHours(12));
        int soon = held(world);
        world.passTo(Duration.ofHours(54));
        int late = held(world);

        assertThat(world.record().waits()).hasSizeGreaterThan(300);
        assertThat(soon).isGreaterThan(500); // a smaller number would mean that the count is broken
        assertThat(late).isLessThan(soon + soon / 10);
    }

    private static int held(Object root) throws IllegalAccessException {
        Set<Object> held = Collections.newSetFromMap(new IdentityHashMap<>());
        var open = new ArrayDeque<Object>();
        open.add(root);
        while (!open.isEmpty()) {
            var object = open.remove();
            if (held.add(object)) {
                parts(object).stream().filter(part -> part != null).forEach(open::add);
            }
        }
        return held.size();
    }

    /** Returns the objects that a project class or a container refers to; empty for other classes. */
    private static Collection<Object> parts(Object object) throws IllegalAccessException {
        var parts = new ArrayList<Object>();
        if (object instanceof Collection<?> collection) {
            parts.addAll(collection);
        } else if (object instanceof Map<?, ?> map) {
            parts.addAll(map.keySet());
            parts.addAll(map.values());
        } else if (object instanceof Optional<?> optional) {
            optional.ifPresent(parts::add);
        } else if (object instanceof AtomicReference<?> reference) {
            parts.add(reference.get());
        } else if (object instanceof Object[] array) {
            for (int i = 0; i < array.length; i++) {
                parts.add(Array.get(array, i));
            }
        } else if (object.getClass().getName().startsWith("dev.trainyard.")) {
            for (Class<?> type = object.getClass(); type != Object.class; type = type.getSuperclass()) {
                for (var field : type.getDeclaredFields()) {
                    boolean isReference = !field.getType().isPrimitive() && !Modifier.isStatic(field.getModifiers());
                    if (isReference && field.trySetAccessible()) {
                        parts.add(field.get(object));
                    }
                }
            }
        }
        return parts;
    }
}
