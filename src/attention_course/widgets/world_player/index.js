// The sentence player in the small world: its constants say which it is.
import { render } from "../sentence_player/player.js";

export default { render };
