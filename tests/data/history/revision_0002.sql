BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0002');
CREATE TABLE engines (
	hash VARCHAR(32) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	version TEXT NOT NULL, 
	facts JSON NOT NULL, 
	CONSTRAINT pk_engines PRIMARY KEY (hash)
);
INSERT INTO "engines" VALUES('789c10a9d3e70e27ccd34f8e6981eaf2','bundled','','{"ref":{"kind":"bundled","command":[],"path":"","found_in":""},"version":"","build":null,"commit":null,"options":[],"removed":[],"spec_types":[],"devices":[],"notes":[]}');
INSERT INTO "engines" VALUES('a3c2bc4f1a1805d565e7e0e0ac9b633c','binary','11434 (abc1234)','{"ref":{"kind":"binary","command":["/opt/llama/llama-server"],"path":"/opt/llama/llama-server","found_in":"PATH"},"version":"11434 (abc1234)","build":11434,"commit":"abc1234","options":["--ctx-size","--spec-type","-c"],"removed":["--draft"],"spec_types":["draft-mtp","ngram-simple"],"devices":[],"notes":[{"code":"flag_dropped","params":[["flag","--mlock"]]}]}');
CREATE TABLE experiments (
	id VARCHAR(64) NOT NULL, 
	kind TEXT NOT NULL, 
	form VARCHAR(16) NOT NULL, 
	seed BIGINT NOT NULL, 
	created_utc VARCHAR(40) NOT NULL, 
	prompt_id TEXT NOT NULL, 
	arms JSON NOT NULL, 
	request TEXT NOT NULL, 
	CONSTRAINT pk_experiments PRIMARY KEY (id)
);
INSERT INTO "experiments" VALUES('e1','compare','full',42,'2026-11-30T07:00:00Z','文本','["off","balanced"]','');
INSERT INTO "experiments" VALUES('e2','self-test','full',42,'2026-11-30T09:00:00+00:00','文本','["off","balanced"]','');
CREATE TABLE incidents (
	"key" INTEGER NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	at_utc VARCHAR(40) NOT NULL, 
	cause VARCHAR(16) NOT NULL, 
	message JSON NOT NULL, 
	evidence TEXT NOT NULL, 
	footing JSON NOT NULL, 
	engine TEXT NOT NULL, 
	action JSON, 
	run_id VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_incidents PRIMARY KEY ("key"), 
	CONSTRAINT uq_incidents_id UNIQUE (id)
);
INSERT INTO "incidents" VALUES(1,'i1','2026-11-30T07:05:00Z','memory','{"code":"ended_out_of_memory","params":[["device","CUDA0"],["nothing",null]]}','cudaMalloc failed','{"model_path":"/\u6a21\u578b/b\udcff.gguf","settings":{"ctx_size":32768,"parallel":1,"gpu_layers":"all","flash_attn":"auto","cache_type_k":"f16","cache_type_v":"f16","batch_size":2048,"ubatch_size":512,"threads":0,"n_cpu_moe":0,"load_mode":"auto","cache_ram_mib":0,"mtp":true,"n_max":4,"n_min":0,"p_min":0.1,"draft_cache_type_k":"f16","draft_cache_type_v":"f16"},"preset":"balanced"}','11434 (abc1234)','{"code":"recovery_step","params":[["rung","mtp_off"],["cause","memory"]]}','r1');
CREATE TABLE ladder_steps (
	"key" INTEGER NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	at_utc VARCHAR(40) NOT NULL, 
	direction VARCHAR(16) NOT NULL, 
	kind VARCHAR(16), 
	taken_by VARCHAR(16) NOT NULL, 
	footing_before JSON NOT NULL, 
	footing_after JSON NOT NULL, 
	verified BOOLEAN NOT NULL, 
	reason JSON, 
	load_ms DOUBLE, 
	decode_tok_s DOUBLE, 
	vram_loaded_bytes BIGINT, 
	CONSTRAINT pk_ladder_steps PRIMARY KEY ("key"), 
	CONSTRAINT uq_ladder_steps_id UNIQUE (id)
);
INSERT INTO "ladder_steps" VALUES(1,'s1','2026-11-30T07:05:00Z','down','mtp_off','automatic','{"model_path":"/\u6a21\u578b/b\udcff.gguf","settings":{"ctx_size":32768,"parallel":1,"gpu_layers":"all","flash_attn":"auto","cache_type_k":"f16","cache_type_v":"f16","batch_size":2048,"ubatch_size":512,"threads":0,"n_cpu_moe":0,"load_mode":"auto","cache_ram_mib":0,"mtp":true,"n_max":4,"n_min":0,"p_min":0.1,"draft_cache_type_k":"f16","draft_cache_type_v":"f16"},"preset":"balanced"}','{"model_path":"/\u6a21\u578b/b\udcff.gguf","settings":{"ctx_size":32768,"parallel":1,"gpu_layers":"all","flash_attn":"auto","cache_type_k":"f16","cache_type_v":"f16","batch_size":2048,"ubatch_size":512,"threads":0,"n_cpu_moe":0,"load_mode":"auto","cache_ram_mib":0,"mtp":false,"n_max":4,"n_min":0,"p_min":0.1,"draft_cache_type_k":"f16","draft_cache_type_v":"f16"},"preset":"balanced"}',1,'{"code":"recovery_step","params":[["rung","mtp_off"],["cause","memory"]]}',1234.5,21.25,17179869185);
CREATE TABLE machines (
	hash VARCHAR(32) NOT NULL, 
	os TEXT NOT NULL, 
	cpu TEXT NOT NULL, 
	facts JSON NOT NULL, 
	CONSTRAINT pk_machines PRIMARY KEY (hash)
);
INSERT INTO "machines" VALUES('82dc9d42158c9656b23f494c5531c25f','','','{"os":"","cpu":"","cores":1,"ram_bytes":0,"python":""}');
INSERT INTO "machines" VALUES('b509db3f995846ce947f6ac4feaea8a4','Linux 6.8 中文','AMD Ryzen','{"os":"Linux 6.8 \u4e2d\u6587","cpu":"AMD Ryzen","cores":16,"ram_bytes":68719476736,"python":"3.11.7"}');
CREATE TABLE models (
	hash VARCHAR(32) NOT NULL, 
	name TEXT NOT NULL, 
	arch TEXT NOT NULL, 
	quant TEXT NOT NULL, 
	facts JSON NOT NULL, 
	CONSTRAINT pk_models PRIMARY KEY (hash)
);
INSERT INTO "models" VALUES('5cad832f51c669f1cf0beb0d20bf5ecf','','','','{"path":"","files":[],"name":"","arch":"","quant":"","size_bytes":0,"block_count":0,"nextn_layers":0,"context_train":null,"mtp":"none","chat_template":false,"is_sample":false,"shape":null,"size_label":"","mtp_tensors":0,"mtp_quant":"","sampling":[],"imatrix":false,"sidecars":[],"mmproj":[]}');
INSERT INTO "models" VALUES('3c0257da7587107fa4d5e3cf48d1df7d','Qwen3.6 27B 通义','qwen35','Q4_K_M','{"path":"/\u6a21\u578b/Qwen3.6-27B-Q4_K_M-00001-of-00002.gguf","files":["/\u6a21\u578b/a\u2028b.gguf","/\u6a21\u578b/b\udcff.gguf"],"name":"Qwen3.6 27B \u901a\u4e49","arch":"qwen35","quant":"Q4_K_M","size_bytes":17000000001,"block_count":65,"nextn_layers":1,"context_train":262144,"mtp":"embedded","chat_template":true,"is_sample":false,"shape":null,"size_label":"","mtp_tensors":0,"mtp_quant":"","sampling":[],"imatrix":false,"sidecars":[],"mmproj":[]}');
CREATE TABLE requests (
	run_key INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	phase VARCHAR(16) NOT NULL, 
	prompt_id TEXT NOT NULL, 
	nonce TEXT NOT NULL, 
	max_tokens INTEGER NOT NULL, 
	sampling JSON NOT NULL, 
	marks JSON, 
	drafts JSON, 
	sent_ns BIGINT NOT NULL, 
	headers_ns BIGINT, 
	first_answer_ns BIGINT, 
	ended_ns BIGINT NOT NULL, 
	event_ns BLOB, 
	finish_reason TEXT, 
	cancelled BOOLEAN NOT NULL, 
	failure JSON, 
	has_timings BOOLEAN NOT NULL, 
	cache_n BIGINT, 
	prompt_n BIGINT, 
	prompt_ms DOUBLE, 
	predicted_n BIGINT, 
	predicted_ms DOUBLE, 
	draft_n BIGINT, 
	draft_n_accepted BIGINT, 
	has_usage BOOLEAN NOT NULL, 
	prompt_tokens BIGINT, 
	completion_tokens BIGINT, 
	cached_tokens BIGINT, 
	content TEXT NOT NULL, 
	reasoning TEXT NOT NULL, 
	CONSTRAINT pk_requests PRIMARY KEY (run_key, position), 
	CONSTRAINT fk_requests_run_key_runs FOREIGN KEY(run_key) REFERENCES runs ("key")
);
INSERT INTO "requests" VALUES(3,0,'warmup','bullets','随机-7',512,'{"temperature":0.7,"top_k":1,"top_p":1.0,"min_p":0.0,"repeat_penalty":1.0,"presence_penalty":0.0,"frequency_penalty":0.0,"seed":1099511627776}',NULL,NULL,4611686018427387905,4611686018427387906,4611686018444387906,4611686023427387905,X'01789C6364181EA045777880EB86C30388330E0F30D0E97A140C4FE030D00EA012000077A54B8D','length',0,NULL,1,0,120,300.0,200,4000.0,150,100,1,120,512,0,'回答 0','');
INSERT INTO "requests" VALUES(3,1,'counted','bullets','随机-7',512,'{"temperature":0.7,"top_k":1,"top_p":1.0,"min_p":0.0,"repeat_penalty":1.0,"presence_penalty":0.0,"frequency_penalty":0.0,"seed":1099511627776}',NULL,NULL,4611686018427387905,4611686018427387906,4611686018444387906,4611686023427387905,X'01789C7364181EE098EEF000CF0C870710671C1E60A0D3F528189EC061A01D40250000B7124C1E','length',0,NULL,1,0,120,301.0,200,4100.0,150,101,1,120,512,0,'回答 1','');
INSERT INTO "requests" VALUES(3,2,'counted','bullets','随机-7',512,'{"temperature":0.7,"top_k":1,"top_p":1.0,"min_p":0.0,"repeat_penalty":1.0,"presence_penalty":0.0,"frequency_penalty":0.0,"seed":1099511627776}',NULL,NULL,4611686018427387905,4611686018427387906,4611686018444387906,4611686023427387905,X'01789C6B64181E80437778806F86C30388330E0F30D0E97A140C4FE030D00EA012000082E44BB0','length',0,NULL,1,0,120,302.0,200,4200.0,150,102,1,120,512,0,'回答 2','');
INSERT INTO "requests" VALUES(3,3,'counted','bullets','随机-7',512,'{"temperature":0.7,"top_k":1,"top_p":1.0,"min_p":0.0,"repeat_penalty":1.0,"presence_penalty":0.0,"frequency_penalty":0.0,"seed":1099511627776}',NULL,NULL,4611686018427387905,4611686018427387906,4611686018444387906,4611686023427387905,X'01789C3BC8303C8097EEF000AC86C30348300E0F30D0E97A140C4FE030D00EA012000015FD4B42','length',0,NULL,1,0,120,303.0,200,4300.0,150,103,1,120,512,0,'回答 3','');
INSERT INTO "requests" VALUES(3,4,'counted','bullets','随机-7',512,'{"temperature":0.7,"top_k":1,"top_p":1.0,"min_p":0.0,"repeat_penalty":1.0,"presence_penalty":0.0,"frequency_penalty":0.0,"seed":1099511627776}','[{"code":"outlier","params":[["why","temperature"]]},{"code":"clock_dropped","params":[]}]',NULL,4611686018427387905,4611686018427387906,4611686018444387906,4611686023427387905,X'01789C6364181EA05777780011C3E1012418870718E8743D0A862770186807500900001A884AD4','length',0,NULL,1,0,120,304.0,200,4400.0,150,104,1,120,512,0,'回答 4','');
CREATE TABLE runs (
	"key" INTEGER NOT NULL, 
	id VARCHAR(64) NOT NULL, 
	experiment_id VARCHAR(64) NOT NULL, 
	arm TEXT NOT NULL, 
	preset TEXT NOT NULL, 
	start INTEGER NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	started_utc VARCHAR(40) NOT NULL, 
	ended_utc VARCHAR(40), 
	machine VARCHAR(32) NOT NULL, 
	engine VARCHAR(32) NOT NULL, 
	model VARCHAR(32) NOT NULL, 
	settings_requested JSON NOT NULL, 
	settings_effective JSON, 
	mtp_active BOOLEAN, 
	argv JSON NOT NULL, 
	environment JSON NOT NULL, 
	devices JSON NOT NULL, 
	gpus JSON NOT NULL, 
	memory JSON, 
	load_ms DOUBLE, 
	notes JSON NOT NULL, 
	failure JSON, 
	owner_pid BIGINT NOT NULL, 
	owner_started DOUBLE NOT NULL, 
	CONSTRAINT pk_runs PRIMARY KEY ("key"), 
	CONSTRAINT fk_runs_engine_engines FOREIGN KEY(engine) REFERENCES engines (hash), 
	CONSTRAINT fk_runs_experiment_id_experiments FOREIGN KEY(experiment_id) REFERENCES experiments (id), 
	CONSTRAINT fk_runs_machine_machines FOREIGN KEY(machine) REFERENCES machines (hash), 
	CONSTRAINT fk_runs_model_models FOREIGN KEY(model) REFERENCES models (hash), 
	CONSTRAINT uq_runs_id UNIQUE (id)
);
INSERT INTO "runs" VALUES(1,'r0','e1','off','off',1,'done','2026-11-30T06:00:00+00:00','2026-11-30T06:10:00+00:00','82dc9d42158c9656b23f494c5531c25f','789c10a9d3e70e27ccd34f8e6981eaf2','5cad832f51c669f1cf0beb0d20bf5ecf','{"ctx_size":8192,"parallel":1,"gpu_layers":"all","flash_attn":"auto","cache_type_k":"f16","cache_type_v":"f16","batch_size":2048,"ubatch_size":512,"threads":0,"n_cpu_moe":0,"load_mode":"auto","cache_ram_mib":0,"mtp":false,"n_max":3,"n_min":0,"p_min":0.0,"draft_cache_type_k":"f16","draft_cache_type_v":"f16"}',NULL,NULL,'[]','[]','[]','[]',NULL,NULL,'[]',NULL,24477,1796038570.75);
INSERT INTO "runs" VALUES(2,'r1','e1','balanced','balanced',2,'failed','2026-11-30T07:00:01+00:00','2026-11-30T07:10:01Z','b509db3f995846ce947f6ac4feaea8a4','a3c2bc4f1a1805d565e7e0e0ac9b633c','3c0257da7587107fa4d5e3cf48d1df7d','{"ctx_size":32768,"parallel":1,"gpu_layers":"all","flash_attn":"auto","cache_type_k":"f16","cache_type_v":"f16","batch_size":2048,"ubatch_size":512,"threads":0,"n_cpu_moe":0,"load_mode":"auto","cache_ram_mib":0,"mtp":true,"n_max":4,"n_min":0,"p_min":0.1,"draft_cache_type_k":"f16","draft_cache_type_v":"f16"}','{"ctx_size":32768,"parallel":1,"speculative":true,"n_max":null,"layers_offloaded":null,"layers_total":null,"cache_type_k":null,"cache_type_v":null,"model_path":null,"alias":null,"build":null,"mismatches":[{"code":"n_max_differs","params":[["asked",4]]}]}',0,'["llama-server","--model","\u6a21\u578b.gguf"]','["LD_LIBRARY_PATH","LLAMA_API_KEY"]','[{"name":"CUDA0","description":"NVIDIA GeForce RTX 4090","total_bytes":25757220864,"free_bytes":25000000000}]','[{"index":0,"uuid":"GPU-1","name":"RTX 4090","vram_total_bytes":17179869184,"driver":"570.1","power_limit_w":450.0,"notes":{"power":"\u4e0d\u652f\u6301"},"vendor":"nvidia","pci":"","mig_of":"","vram_idle_bytes":null,"shared_total_bytes":null},{"index":1,"uuid":"GPU-2","name":"RX 7900 XTX","vram_total_bytes":null,"driver":null,"power_limit_w":null,"notes":{},"vendor":"nvidia","pci":"","mig_of":"","vram_idle_bytes":null,"shared_total_bytes":null}]','{"kind":"vram","before":1,"loaded":2,"peak":1099511627777,"total":null,"spill":"unknown","spill_reason":null,"parts":[]}',1234.567891234,'[]','{"code":"engine_died","params":[["code",-9]]}',24477,1796038570.75);
INSERT INTO "runs" VALUES(3,'r2','e2','balanced','balanced',2,'done','2026-11-30T09:00:01+00:00','2026-11-30T07:10:01Z','b509db3f995846ce947f6ac4feaea8a4','a3c2bc4f1a1805d565e7e0e0ac9b633c','3c0257da7587107fa4d5e3cf48d1df7d','{"ctx_size":32768,"parallel":1,"gpu_layers":"all","flash_attn":"auto","cache_type_k":"f16","cache_type_v":"f16","batch_size":2048,"ubatch_size":512,"threads":0,"n_cpu_moe":0,"load_mode":"auto","cache_ram_mib":0,"mtp":true,"n_max":4,"n_min":0,"p_min":0.1,"draft_cache_type_k":"f16","draft_cache_type_v":"f16"}','{"ctx_size":32768,"parallel":1,"speculative":true,"n_max":null,"layers_offloaded":null,"layers_total":null,"cache_type_k":null,"cache_type_v":null,"model_path":null,"alias":null,"build":null,"mismatches":[{"code":"n_max_differs","params":[["asked",4]]}]}',0,'["llama-server","--model","\u6a21\u578b.gguf"]','["LD_LIBRARY_PATH","LLAMA_API_KEY"]','[{"name":"CUDA0","description":"NVIDIA GeForce RTX 4090","total_bytes":25757220864,"free_bytes":25000000000}]','[{"index":0,"uuid":"GPU-1","name":"RTX 4090","vram_total_bytes":17179869184,"driver":"570.1","power_limit_w":450.0,"notes":{"power":"\u4e0d\u652f\u6301"},"vendor":"nvidia","pci":"","mig_of":"","vram_idle_bytes":null,"shared_total_bytes":null},{"index":1,"uuid":"GPU-2","name":"RX 7900 XTX","vram_total_bytes":null,"driver":null,"power_limit_w":null,"notes":{},"vendor":"nvidia","pci":"","mig_of":"","vram_idle_bytes":null,"shared_total_bytes":null}]','{"kind":"vram","before":1,"loaded":2,"peak":1099511627777,"total":null,"spill":"unknown","spill_reason":null,"parts":[]}',1234.567891234,'[]',NULL,24477,1796038570.75);
ANALYZE "sqlite_master";
INSERT INTO "sqlite_stat1" VALUES('runs','ix_runs_status','3 2');
INSERT INTO "sqlite_stat1" VALUES('runs','ix_runs_started_utc','3 1');
INSERT INTO "sqlite_stat1" VALUES('runs','ix_runs_model','3 2');
INSERT INTO "sqlite_stat1" VALUES('runs','ix_runs_experiment_id','3 2');
INSERT INTO "sqlite_stat1" VALUES('runs','sqlite_autoindex_runs_1','3 1');
CREATE TABLE telemetry (
	run_key INTEGER NOT NULL, 
	samples INTEGER NOT NULL, 
	series BLOB NOT NULL, 
	CONSTRAINT pk_telemetry PRIMARY KEY (run_key), 
	CONSTRAINT fk_telemetry_run_key_runs FOREIGN KEY(run_key) REFERENCES runs ("key")
);
INSERT INTO "telemetry" VALUES(3,4,X'01789CAD93BD6EC23014850D74E8D81760F156294584FEA830A12EDDDA2E95905064996020228E23DB296D111503034B9F823E085337DEA9A6A82824716808578A946BFB7CBEB6EF299D0230860253DF250236AE0C683337A09EFA6F8FA18729810D2891CA0DD87993EB35973503F618A758AA29C79370626C570E989015DB0F906F4B8DA2E7321CD7704C512048176D24FFDF6C2D944C6237B392787DC723880B11959A3711A9017147106F9D5E57C3A0BE1F542B41E07435E211E3EB29893BAE5ADE86F74FCF1726B442BC7A9CF7A2BB8CB4BA749CC4BBC9080AA4E33A024B8779BB0FBBC3D93C6C3AC96723C2D128074112EA138E65C009B273706C97D9432428A283F7DC184A229CAAFE7E7B09671A7026A5AB7A9160C13CDD43459AA90DC5086D2ED4C63EB4F674951860AE5A2AA9AFB255EBDB0E41F2150D3B281F83E7619811DBDDEE715D6DC775DD384EEBBA6C55E94D97F1743ACF65C3C40C974DAE715B3648B2D50E61E4F29999E2B394EE695B7B1AE748C6328F602CF330635913A0624A08F95EAD565FE572F943E59FEA2B81D45882F3FA1D68369BA0502884274ED275E02C3A50FCAD40BBFE8F5E8C8CC7F7592E5B2D55CF36663321C2F9143C3C86F3F97CB108E7C9F1037AB1AC69');
CREATE INDEX ix_runs_experiment_id ON runs (experiment_id);
CREATE INDEX ix_runs_model ON runs (model);
CREATE INDEX ix_runs_started_utc ON runs (started_utc);
CREATE INDEX ix_runs_status ON runs (status);
CREATE INDEX ix_ladder_steps_at_utc ON ladder_steps (at_utc);
CREATE INDEX ix_incidents_at_utc ON incidents (at_utc);
COMMIT;
