#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The files of dashboards/deploy: they parse, fit each other, and ask for no right that capturing does not need.
Run as: deploy_test.py PROGRAM"""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import mixin

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import monitoring  # noqa: E402

yaml = mixin.needed_yaml()
DEPLOY = mixin.FOLDER / "deploy"
KUBERNETES = DEPLOY / "kubernetes" / "base"
PORT = 14791
# In every Debian image.
BASE_PACKAGES = {"libc6", "libstdc++6", "libgcc-s1"}
PROGRAM = ""


def load(path: pathlib.Path):
    return yaml.safe_load(path.read_text())


def program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise unittest.SkipTest(f"{name} is missing")
    return path


def run(*words: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(words, capture_output=True, text=True, **options)


class Systemd(unittest.TestCase):
    UNIT = DEPLOY / "systemd" / "rocetop-export.service"

    def setUp(self):
        self.text = self.UNIT.read_text()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.unit = pathlib.Path(self.folder.name) / self.UNIT.name
        # Its program need not be installed here.
        self.unit.write_text(self.text.replace("/usr/bin/rocetop", "/bin/true"))

    def test_rights(self):
        def values(key):
            return re.findall(rf"^{key}=(.*)$", self.text, re.MULTILINE)

        self.assertEqual(values("AmbientCapabilities"), ["CAP_NET_RAW"])
        self.assertEqual(values("CapabilityBoundingSet"), ["CAP_NET_RAW"])
        self.assertEqual(values("DynamicUser"), ["yes"])
        self.assertEqual(values("NoNewPrivileges"), ["yes"])
        self.assertEqual(values("User"), [])
        self.assertEqual(values("ExecReload"), ["/bin/kill -HUP $MAINPID"])
        self.assertIn("capset", values("SystemCallFilter"), "rocetop gives up capabilities with it")

    def test_systemd_understands_it(self):
        done = run(program("systemd-analyze"), "verify", str(self.unit))
        ours = [line for line in done.stderr.splitlines() if self.unit.name in line]
        self.assertEqual((done.returncode, ours), (0, []), done.stderr)

    def test_exposure(self):
        # Tenths; 2.0 is "OK" in systemd's words, most units of a distribution have 9.
        security = [program("systemd-analyze"), "security", "--offline=yes", "--no-pager", "--threshold=20"]
        done = run(*security, str(self.unit))
        self.assertEqual(done.returncode, 0, done.stdout[-400:] + done.stderr)
        self.unit.write_text(self.unit.read_text().replace("DynamicUser=yes\nAmbient", "Ambient"))  # as root
        done = run(*security, str(self.unit))
        self.assertNotEqual(done.returncode, 0)


class Prometheus(unittest.TestCase):
    def test_promtool_takes_the_configurations(self):
        promtool = program("promtool")
        for words in (["prometheus/prometheus.yml"], ["compose/prometheus.yml"], ["--agent", "prometheus/agent.yml"]):
            done = run(promtool, "check", "config", *words, cwd=DEPLOY)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_job_is_the_one_that_rules_look_for(self):
        rules = (mixin.FOLDER / "prometheus" / "rules.yml").read_text()
        self.assertEqual(set(re.findall(r'job="([^"]*)"', rules)), {"rocetop"})
        for name in ("prometheus/prometheus.yml", "prometheus/agent.yml", "compose/prometheus.yml"):
            jobs = load(DEPLOY / name)["scrape_configs"]
            self.assertEqual([job["job_name"] for job in jobs], ["rocetop"], name)

    def test_targets(self):
        for group in load(DEPLOY / "prometheus" / "targets" / "rocetop.yml"):
            self.assertTrue(group["targets"])
            for target in group["targets"]:
                self.assertRegex(target, rf"^[\w.-]+:{PORT}$")
            # Labels of rocetop's own metrics must not be set from outside.
            self.assertEqual(set(group["labels"]) & {"src", "dst", "interface", "device", "job", "instance"}, set())


class Kubernetes(unittest.TestCase):
    def setUp(self):
        self.kustomization = load(KUBERNETES / "kustomization.yaml")
        self.objects = {o["kind"]: o for o in (load(KUBERNETES / name) for name in self.kustomization["resources"])}
        self.daemon_set = self.objects["DaemonSet"]
        self.pod = self.daemon_set["spec"]["template"]
        self.container, = self.pod["spec"]["containers"]

    def test_everything_is_in_the_base(self):
        there = {path.name for path in KUBERNETES.glob("*.yaml")} - {"kustomization.yaml"}
        self.assertEqual(set(self.kustomization["resources"]), there)
        kinds = {"Namespace", "ServiceAccount", "DaemonSet", "PodMonitor", "PrometheusRule"}
        self.assertEqual(set(self.objects), kinds)
        self.assertEqual(self.kustomization["namespace"], self.objects["Namespace"]["metadata"]["name"])

    def test_rights(self):
        spec, security = self.pod["spec"], self.container["securityContext"]
        self.assertIs(spec["hostNetwork"], True)
        self.assertFalse({"hostPID", "hostIPC", "volumes", "initContainers"} & set(spec))
        self.assertEqual(security["capabilities"], {"drop": ["ALL"], "add": ["NET_RAW"]})
        self.assertNotIn("privileged", security)
        self.assertIs(security["readOnlyRootFilesystem"], True)
        self.assertIs(spec["securityContext"]["runAsNonRoot"], True)
        self.assertEqual(spec["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
        self.assertIs(spec["automountServiceAccountToken"], False)
        # As nobody the capability comes with the file, which no_new_privs would forbid: both or neither.
        self.assertIs(security["allowPrivilegeEscalation"], True)
        self.assertIn("setcap cap_net_raw+ep /usr/bin/rocetop", (DEPLOY / "Containerfile").read_text())

    def test_they_fit_each_other(self):
        labels = self.pod["metadata"]["labels"]
        self.assertEqual(self.daemon_set["spec"]["selector"]["matchLabels"].items() - labels.items(), set())
        monitor = self.objects["PodMonitor"]["spec"]
        self.assertEqual(monitor["selector"]["matchLabels"].items() - labels.items(), set())
        port, = self.container["ports"]
        self.assertEqual((port["containerPort"], port["hostPort"]), (PORT, PORT))
        endpoint, = monitor["podMetricsEndpoints"]
        self.assertEqual(endpoint["port"], port["name"])
        for probe, path in (("livenessProbe", "/-/healthy"), ("readinessProbe", "/-/ready")):
            self.assertEqual(self.container[probe]["httpGet"], {"path": path, "port": port["name"]})
        self.assertIn({"targetLabel": "job", "replacement": "rocetop"}, endpoint["relabelings"])
        self.assertEqual(self.pod["spec"]["serviceAccountName"], self.objects["ServiceAccount"]["metadata"]["name"])
        self.assertIn(f"--web.listen-address=:{PORT}", self.container["args"])

    def test_the_rules_are_prometheus_own(self):
        both = mixin.rule_groups("rules.yml") + mixin.rule_groups("alerts.yml")
        self.assertEqual(self.objects["PrometheusRule"]["spec"]["groups"], both)

    def test_kustomize_builds_it(self):
        kustomize = [program("kubectl"), "kustomize"]
        done = run(*kustomize, str(KUBERNETES))
        self.assertEqual(done.returncode, 0, done.stderr)
        built = {o["kind"]: o for o in yaml.safe_load_all(done.stdout)}
        self.assertEqual(set(built), set(self.objects))
        for kind in ("DaemonSet", "PodMonitor", "PrometheusRule", "ServiceAccount"):
            self.assertEqual(built[kind]["metadata"]["namespace"], "rocetop")
        self.assertRegex(built["DaemonSet"]["spec"]["template"]["spec"]["containers"][0]["image"], r"^rocetop:\d")


class Compose(unittest.TestCase):
    def setUp(self):
        self.services = load(DEPLOY / "compose.yaml")["services"]

    def test_rights(self):
        self.assertEqual(self.services["rocetop"]["cap_drop"], ["ALL"])
        self.assertEqual(self.services["rocetop"]["cap_add"], ["NET_RAW"])
        # The file asks for this right (Containerfile): without it in reach the kernel does not even start it.
        self.assertEqual(self.services["demo"]["cap_add"], ["NET_RAW"])
        for name, service in self.services.items():
            self.assertNotIn("privileged", service, name)
            self.assertNotRegex(service["image"], r":latest$|^[^:]*$", name)

    def test_what_is_mounted_is_there(self):
        for name, service in self.services.items():
            for volume in service.get("volumes", []):
                outside = volume.split(":")[0]
                if outside.startswith("."):
                    self.assertTrue((DEPLOY / outside).exists(), (name, volume))
        context = DEPLOY / self.services["rocetop"]["build"]["context"]
        self.assertTrue((context / self.services["rocetop"]["build"]["dockerfile"]).exists())
        # The path inside the container, of a file that prometheus.yml's own relative paths must fit.
        config = self.services["prometheus"]["command"][0].removeprefix("--config.file=/etc/rocetop/")
        for rule_file in load(mixin.FOLDER / config)["rule_files"]:
            self.assertTrue(((mixin.FOLDER / config).parent / rule_file).resolve().is_file())

    def test_grafana_finds_dashboards_and_data(self):
        provider, = load(DEPLOY / "grafana" / "provisioning" / "dashboards" / "rocetop.yml")["providers"]
        mounted = [volume.split(":")[1] for volume in self.services["grafana"]["volumes"] if ":ro" in volume]
        self.assertIn(provider["options"]["path"], mounted)
        self.assertIn("../grafana:" + provider["options"]["path"] + ":ro", self.services["grafana"]["volumes"])
        source, = load(DEPLOY / "grafana" / "provisioning" / "datasources" / "prometheus.yml")["datasources"]
        self.assertEqual((source["type"], source["access"], source["isDefault"]), ("prometheus", "proxy", True))
        home = self.services["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
        self.assertTrue((mixin.FOLDER / "grafana" / pathlib.Path(home).name).exists())


class Program(unittest.TestCase):
    """What the files say to the program and of it."""

    def test_options_exist(self):
        said = run(PROGRAM, "export", "--help").stdout
        used = set()
        for path in DEPLOY.rglob("*"):
            if path.is_file() and path.name != "Containerfile":
                for line in path.read_text().splitlines():
                    if "rocetop" in line or re.match(r"\s*- --?\w", line):
                        used |= set(re.findall(r"--(?:web|max|series|per|pair|no-host|loop)[\w.-]*", line))
        used -= {"--web.console", "--web.enable-lifecycle"}
        self.assertIn("--web.listen-address", used)
        for option in used:
            self.assertIn(option, said)

    def test_it_captures_as_the_unit_and_the_pod_start_it(self):
        setpriv = program("setpriv")
        if os.geteuid() != 0:
            self.skipTest("only root can hand out CAP_NET_RAW")
        as_nobody = [setpriv, "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all,+net_raw"]
        ambient = ["--inh-caps=-all,+net_raw", "--ambient-caps=-all,+net_raw", "--no-new-privs"]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            folder.chmod(0o755)  # where the program was built nobody may be shut out
            own = shutil.copy(PROGRAM, folder / "rocetop")
            os.chmod(own, 0o755)
            self.check_capture([*as_nobody, *ambient, own], folder / "unit.log")
            if run(program("setcap"), "cap_net_raw+ep", own).returncode != 0:
                self.skipTest("files have no capabilities here")
            self.check_capture([*as_nobody, own], folder / "pod.log")

    def check_capture(self, words: list[str], log: pathlib.Path):
        words = [*words, "export", "-i", "lo", "--web.listen-address", "127.0.0.1:0"]
        self.addCleanup(monitoring.Process.end_all)
        exporter = monitoring.Server(words, log, "/-/ready")
        self.assertIn('\nrocetop_capture_interface_up{interface="lo"} 1\n', exporter.text("/metrics"))
        exporter.end()

    def test_the_image_has_its_libraries(self):
        needed = run(program("readelf"), "--dynamic", PROGRAM).stdout
        listed = set(re.search(r"no-install-recommends \\\n(.*?)&& \\\n", (DEPLOY / "Containerfile").read_text(),
                               re.DOTALL).group(1).replace("\\", " ").split())
        dpkg = program("dpkg-query")
        used = {"libcap2-bin"}  # for setcap
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", needed):
            owners = run(dpkg, "--search", f"*/{name}").stdout
            packages = set(re.findall(r"^([^:\s]+):", owners, re.MULTILINE))
            self.assertTrue(packages & (listed | BASE_PACKAGES), f"{name} is in {packages or 'no package'}")
            used |= packages
        self.assertEqual(listed - used, set(), "not needed")


class Text(unittest.TestCase):
    def test_all_yaml_parses(self):
        found = [path for path in DEPLOY.rglob("*") if path.suffix in (".yml", ".yaml")]
        self.assertGreater(len(found), 12)
        for path in found:
            for document in yaml.safe_load_all(path.read_text()):
                self.assertIsNotNone(document, path)

    def test_one_port_everywhere(self):
        for path in DEPLOY.rglob("*"):
            if path.is_file() and path.suffix != ".service":
                for port in re.findall(r":(1\d{4})\b", path.read_text()):
                    self.assertEqual(int(port), PORT, path)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
