"""`python -m pairloom`"""

import sys

from pairloom.cli.main import main

sys.exit(main())
