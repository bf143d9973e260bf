"""`python -m pairloom`"""

import sys

from pairloom.cli import main

sys.exit(main())
