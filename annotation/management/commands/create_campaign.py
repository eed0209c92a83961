from __future__ import annotations

import json
from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from annotation.management.running import run_on
from annotation.models import Campaign, Instructions
from annotation.pricing import Price, hourly_wage
from annotation.providers import DEFAULT, PROVIDERS
from annotation.providers.base import Marketplace
from annotation.selectors.costs import price_of_campaign
from annotation.selectors.descriptions import chosen_task
from annotation.services import campaigns
from annotation.task_types import DEFAULT_TASK_TYPE, fixed_types
from corpus.management.running import sample_named
from kernel.management.running import TesaCommand
from kernel.values import counted, money

NUMBERS = {
    "redundancy": "answers per task, each from another person",
    "time_limit_s": "seconds one answer may take",
    "estimated_s": "seconds one answer should take",
    "per_person": "most answers of one person; 0 = no limit",
    "gold_every": "one check task in every N tasks; 0 = none",
    "trust_stop": "people whose trust is below these per cent get no more tasks; 0 = no limit",
    "trust_tests": "check tasks that are judged before that acts",
    "practice": "practice questions before the first task",
    "quiz_pass": "right answers needed in the quiz; 0 = no quiz",
    "quiz_gold": "own check tasks that the quiz asks instead of its questions; 0 = its questions",
    "seed": "decides the order of the tasks",
}


class Command(TesaCommand):
    help = "Create a campaign from a sample, with its tasks, in this process. Run it again after an interruption."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("sample", help="the name of the sample")
        parser.add_argument("--contact", required=True, help="a name and an address that participants can write to")
        parser.add_argument(
            "--task-type",
            default=DEFAULT_TASK_TYPE,
            help=f"{' or '.join(fixed_types())}, or a description such as own-12@3 ({DEFAULT_TASK_TYPE})",
        )
        for name, meaning in NUMBERS.items():
            default = getattr(campaigns.CampaignPlan, name)
            parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=default, help=f"{meaning} ({default})")
        parser.add_argument("--reward", default="0", help="for one answer")
        parser.add_argument("--currency", default="USD")
        parser.add_argument("--provider", default=DEFAULT, help=f"{' or '.join(PROVIDERS)} ({DEFAULT})")
        parser.add_argument("--provider-settings", default="{}", help="the provider's settings, as a JSON object")
        parser.add_argument("--task-settings", default="{}", help="settings of the task, as a JSON object")
        parser.add_argument("--instructions", type=int, help="the number of a version; default: the latest standard")
        parser.add_argument("--lessons", type=Path, help="practice questions and quiz of its own, from this JSON file")
        parser.add_argument("--practice-must-be-right", action="store_true", help="each one, before the first task")
        parser.add_argument(
            "--shows-reasons", action="store_true", help="show people who miss a check task its known answer and why"
        )
        parser.add_argument("--pilot", action="store_true", help="mark the campaign as a pilot")
        parser.add_argument("--start", action="store_true", help="open the campaign once its tasks are created")

    def handle(self, *, name: str, sample: str, start: bool, **options: Any) -> None:
        campaign = Campaign.objects.select_related("sample").filter(name=name).first()
        if campaign and campaign.sample.name != sample:
            raise CommandError(
                f"the campaign {name!r} has another sample, {campaign.sample.name!r}: choose another name"
            )
        provider = campaign.provider if campaign else options["provider"]
        if start and isinstance(PROVIDERS[provider], Marketplace):
            raise CommandError(
                "Opening this campaign spends money on a marketplace. Leave --start out, and let somebody who may "
                "spend publish it on its page: the ledger names who decided."
            )
        campaign = campaign or campaigns.create_campaign(self._plan(name, sample, options), by=None)
        self.stdout.write(_summary(campaign))
        self.stdout.write(run_on(campaign, "make_tasks"))
        if start:
            campaigns.start(campaign.pk, by=None)
            self.stdout.write(f"{campaign} is open.")

    def _plan(self, name: str, sample: str, options: dict[str, Any]) -> campaigns.CampaignPlan:
        row = sample_named(sample)
        instructions = None
        if options["instructions"] is not None:
            instructions = Instructions.objects.filter(pk=options["instructions"]).first()
            if instructions is None:
                raise CommandError(f"there is no version {options['instructions']} of instructions")
        try:
            reward = Decimal(options["reward"])
        except InvalidOperation as error:
            raise CommandError(f"--reward: {options['reward']!r} is not an amount") from error
        same = {key: options[key] for key in (*NUMBERS, "currency", "provider", "contact")}
        task_type, task_settings = chosen_task(options["task_type"])
        return campaigns.CampaignPlan(
            name=name,
            sample=row,
            reward=reward,
            instructions=instructions,
            is_pilot=options["pilot"],
            practice_must_be_right=options["practice_must_be_right"],
            shows_reasons=options["shows_reasons"],
            lessons=_lessons(options["lessons"]),
            provider_settings=_settings("provider", options["provider_settings"]),
            task_type=task_type,
            task_settings=task_settings or _settings("task", options["task_settings"]),
            **same,
        )


def _lessons(path: Path | None) -> Any:
    """Return what a file says of practice and quiz; None without a file."""
    if path is None:
        return None
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise CommandError(f"--lessons: {path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise CommandError(f"--lessons: {path} is not JSON: {error}") from error
    if value is None:
        raise CommandError(f"--lessons: {path} holds no questions: it must be a JSON object with practice and quiz")
    return value


def _settings(whose: str, text: str) -> dict[str, Any]:
    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise CommandError(f"--{whose}-settings: this is not JSON: {error}") from error
    if not isinstance(parsed, dict):
        example = '{"preset": "prolific", "codes": {…}}' if whose == "provider" else '{"most": 5}'
        raise CommandError(f"--{whose}-settings: give a JSON object, as in {example}")
    return parsed


def _summary(campaign: Campaign) -> str:
    price = price_of_campaign(campaign)
    wage = hourly_wage(campaign.reward, campaign.estimated_s)
    answers = counted(price.answers + price.gold, "answer comes", "answers come")
    warning = settings.WAGE_FLOOR.warning(campaign.reward, campaign.currency, campaign.estimated_s)
    return (
        f"{campaign}: {answers} to {money(price.total, campaign.currency)}, "
        f"{money(wage or Decimal(), campaign.currency)} an hour at the estimated {campaign.estimated_s} s."
        + _study(campaign, price)
        + (f"\nWarning: {warning}" if warning else "")
    )


def _study(campaign: Campaign, price: Price) -> str:
    """Return how to set the study up at the provider; "" for our own people."""
    door = PROVIDERS[campaign.provider].door(campaign.provider_settings)
    if door is None:
        return ""
    study = campaigns.study_of_plan(campaign, price)
    if study is None:
        return f"\nGive --per-person: without it a visit has no length and no reward to enter at {door.site}."
    visit, reward = counted(study.answers, "answer"), money(study.reward, campaign.currency)
    return f"\nFor {door.site}: {study.places:,} places, {reward} for one visit of {visit}."
