"""A wheel with a copy of libbareking in it is for one system; without, for any."""

from pathlib import Path

from setuptools import setup

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel

PACKED = any(Path(__file__).parent.glob("bareking/libbareking.*"))


class Wheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = not PACKED

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]  # no extension of Python in it


setup(cmdclass={"bdist_wheel": Wheel})
