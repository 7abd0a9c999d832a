"""What a section is about, by its heading."""

import pytest

from kg_build.extract.topics import topic_of


@pytest.mark.parametrize(
    ("section", "topic"),
    [
        ("Gout › Symptoms", "symptoms"),
        ("Gout › What are the symptoms of Gout ?", "symptoms"),
        ("Gout › Clinical features › Hands", "symptoms"),
        ("Gout › Treatment", "treatment"),
        ("Gout › What causes Gout ?", "causes"),
        ("Gout › Complications", "complications"),
        ("Gout › How to diagnose Gout ?", "diagnosis"),
        ("Aspirin › Contraindications", "contraindications"),
        ("Aspirin › Side effects", "adverse effects"),
        ("Aspirin › Indications", "indications"),
        ("痛风 › 临床表现", "symptoms"),
        ("痛风 › 治疗", "treatment"),
        ("痛风 › 病因", "causes"),
        ("痛风 › 并发症", "complications"),
        ("痛风 › 辅助检查", "diagnosis"),
        ("阿司匹林 › 禁忌", "contraindications"),
        ("阿司匹林 › 不良反应", "adverse effects"),
        ("阿司匹林 › 适应症", "indications"),
        ("", None),
        ("Gout › Prevention", None),
        ("Gout › Differential diagnosis", None),
        ("Gout › Symptoms and treatment", None),
        ("Gout › Treatment › Medications to avoid", None),
        ("痛风 › 鉴别诊断", None),
        ("痛风 › 诊断与治疗", None),
    ],
)
def test_a_heading_names_one_topic_or_none(section: str, topic: str | None) -> None:
    found = topic_of(section)
    assert (found and found[0].name) == topic
