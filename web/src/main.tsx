import { render } from 'preact';
import { listen } from './live/live';
import { Shell } from './shell/shell';
import { applyTheme } from './shell/theme';
import { startKeys } from './shell/keys';
import { followLinks } from './url/route';

applyTheme();
followLinks();
startKeys();
listen();
render(<Shell />, document.getElementById('app')!);
