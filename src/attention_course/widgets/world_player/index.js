// The player of the translators of the small world.
import { render } from "../sentence_player/player.js";

export default { render };
