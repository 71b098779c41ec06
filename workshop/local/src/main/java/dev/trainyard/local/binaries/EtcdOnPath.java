package dev.trainyard.local.binaries;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The etcd on the PATH, usually from a package of a Linux distribution. Distributions have no packages of the other programs. */
final class EtcdOnPath implements BinaryProvider {
    private final SearchPath path;

    EtcdOnPath(Map<String, String> environment) {
        this.path = new SearchPath(environment);
    }

    @Override
    public String name() {
        return "etcd on the PATH";
    }

    @Override
    public Optional<String> supply(KubernetesVersion version, Set<Binary> missing, Path into) throws IOException {
        if (!missing.equals(Set.of(Binary.ETCD))) {
            return Optional.of("not tried, because other programs are missing too");
        }
        Optional<Path> etcd = path.find("etcd");
        if (etcd.isEmpty()) {
            return Optional.of("not found; Debian and Ubuntu have etcd in the package etcd-server");
        }
        Path copy = into.resolve("etcd.new");
        Files.copy(etcd.get(), copy, StandardCopyOption.REPLACE_EXISTING);
        Files.move(copy, into.resolve(Binary.ETCD.fileName()), StandardCopyOption.ATOMIC_MOVE);
        return Optional.empty();
    }
}
