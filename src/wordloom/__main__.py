"""`python -m wordloom`"""

import sys

from wordloom.cli import main

sys.exit(main())
