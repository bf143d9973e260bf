"""Tests of the reports of trainings."""
